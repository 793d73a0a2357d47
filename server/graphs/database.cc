#include "server/graphs/database.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/graphs/schema.h"

namespace stowage {
namespace {

absl::Status Annotate(const absl::Status& status, absl::string_view path) {
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

std::string PartlyChecked(absl::string_view path, absl::Duration time) {
  return absl::StrCat(
      "database ", path, ": ", absl::FormatDuration(time),
      " were not enough to look through all of it for damage; check it with "
      "sqlite3 ",
      path, " 'PRAGMA integrity_check' while no service uses it");
}

}  // namespace

absl::StatusOr<std::shared_ptr<SharedDatabase>> OpenDatabase(
    const std::string& path, const DatabaseOptions& options) {
  absl::StatusOr<DatabaseFile> file = DatabaseFile::Claim(path);
  if (!file.ok()) return file.status();
  std::vector<std::string> warnings;
  if (!file->warning().empty()) warnings.push_back(file->warning());
  absl::StatusOr<SqliteDatabase> connection = SqliteDatabase::Open(path);
  if (!connection.ok()) return Annotate(connection.status(), path);
  absl::StatusOr<bool> checked = connection->LookForDamage(options.check_time);
  if (!checked.ok()) return Annotate(checked.status(), path);
  if (!*checked) warnings.push_back(PartlyChecked(path, options.check_time));
  absl::Status migrated = MigrateSchema(&*connection);
  if (!migrated.ok()) return Annotate(migrated, path);
  return std::make_shared<SharedDatabase>(
      *std::move(file), *std::move(connection), std::move(warnings));
}

}  // namespace stowage
