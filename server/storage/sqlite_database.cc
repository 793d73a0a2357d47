#include "server/storage/sqlite_database.h"

#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "server/storage/database_file.h"
#include "server/storage/schema.h"
#include "server/storage/sqlite_connection.h"

namespace stowage {
namespace {

class SqliteDatabase final : public SqlDatabase {
 public:
  SqliteDatabase(DatabaseFile file,
                 std::unique_ptr<SqliteConnection> connection,
                 std::vector<std::string> warnings)
      : file_(std::move(file)),
        connection_(std::move(connection)),
        warnings_(std::move(warnings)) {}

  using SqlDatabase::Run;
  absl::StatusOr<SqlResult> Run(absl::string_view sql,
                                const SqlParameters& parameters) override {
    absl::MutexLock lock(&mutex_);
    return connection_->Run(sql, parameters);
  }

  absl::Status Transact(Transaction body) override {
    absl::MutexLock lock(&mutex_);
    absl::Status status = connection_->RunScript("BEGIN IMMEDIATE");
    if (!status.ok()) return status;
    status = body(*connection_);
    if (status.ok()) status = connection_->RunScript("COMMIT");
    // The error to report is the first one.
    if (!status.ok()) connection_->RunScript("ROLLBACK").IgnoreError();
    return status;
  }

  absl::string_view now_ms() const override {
    return "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)";
  }
  bool is_shared() const override { return false; }
  const std::vector<std::string>& warnings() const override {
    return warnings_;
  }

 private:
  const DatabaseFile file_;
  absl::Mutex mutex_;
  const std::unique_ptr<SqliteConnection> connection_
      ABSL_PT_GUARDED_BY(mutex_);
  const std::vector<std::string> warnings_;
};

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

absl::StatusOr<std::shared_ptr<SqlDatabase>> OpenSqliteDatabase(
    const std::string& path, const SqliteOptions& options) {
  absl::StatusOr<DatabaseFile> file = DatabaseFile::Claim(path);
  if (!file.ok()) return file.status();
  std::vector<std::string> warnings;
  if (!file->warning().empty()) warnings.push_back(file->warning());
  absl::StatusOr<std::unique_ptr<SqliteConnection>> connection =
      SqliteConnection::Open(path);
  if (!connection.ok()) return Annotate(connection.status(), path);
  absl::StatusOr<bool> checked =
      (*connection)->LookForDamage(options.check_time);
  if (!checked.ok()) return Annotate(checked.status(), path);
  if (!*checked) warnings.push_back(PartlyChecked(path, options.check_time));
  auto database = std::make_shared<SqliteDatabase>(
      *std::move(file), *std::move(connection), std::move(warnings));
  if (absl::Status migrated = MigrateSchema(SqliteSchema(), database.get());
      !migrated.ok()) {
    return Annotate(migrated, path);
  }
  return database;
}

}  // namespace stowage
