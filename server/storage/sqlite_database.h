// Implements SqlDatabase by one SQLite file.
//
//   absl::StatusOr<std::shared_ptr<SqlDatabase>> database =
//       OpenSqliteDatabase("/var/lib/stowage/stowaged.db");
//   for (const std::string& warning : (*database)->warnings()) Tell(warning);
#ifndef STOWAGE_SERVER_STORAGE_SQLITE_DATABASE_H_
#define STOWAGE_SERVER_STORAGE_SQLITE_DATABASE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/storage/sql_database.h"

namespace stowage {

struct SqliteOptions {
  // How long to look for damage. SQLite checks the other pages of a large
  // database when it reads them.
  absl::Duration check_time = absl::Seconds(1);
};

// Opens or creates the database for this process alone, looks for damage and
// brings the schema up to date. ":memory:" keeps everything in memory. All
// calls take turns on one connection. Errors are those of DatabaseFile,
// SqliteConnection and MigrateSchema(), with the path and the remedy.
absl::StatusOr<std::shared_ptr<SqlDatabase>> OpenSqliteDatabase(
    const std::string& path, const SqliteOptions& options = {});

}  // namespace stowage

#endif  // STOWAGE_SERVER_STORAGE_SQLITE_DATABASE_H_
