// Opens the database that holds the service's state.
//
//   absl::StatusOr<std::shared_ptr<SqlDatabase>> database =
//       OpenDatabase("/var/lib/stowage/stowaged.db");
//   GraphStore graphs(*database);
#ifndef STOWAGE_SERVER_STORAGE_OPEN_DATABASE_H_
#define STOWAGE_SERVER_STORAGE_OPEN_DATABASE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/storage/sql_database.h"

namespace stowage {

// Opens a PostgreSQL database if `db` is a URL of one, else the SQLite file of
// that path. Errors are those of OpenPostgresDatabase() and
// OpenSqliteDatabase().
absl::StatusOr<std::shared_ptr<SqlDatabase>> OpenDatabase(
    const std::string& db);

// Returns how logs name the database, without what is secret.
std::string DatabaseName(const std::string& db);

}  // namespace stowage

#endif  // STOWAGE_SERVER_STORAGE_OPEN_DATABASE_H_
