#include "server/graphs/database.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/graphs/schema.h"

namespace stowage {
namespace {

absl::Status Annotate(const absl::Status& status, absl::string_view path) {
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

}  // namespace

absl::StatusOr<std::shared_ptr<SharedDatabase>> OpenDatabase(
    const std::string& path) {
  absl::StatusOr<SqliteDatabase> connection = SqliteDatabase::Open(path);
  if (!connection.ok()) return Annotate(connection.status(), path);
  absl::Status migrated = MigrateSchema(&*connection);
  if (!migrated.ok()) return Annotate(migrated, path);
  return std::make_shared<SharedDatabase>(*std::move(connection));
}

}  // namespace stowage
