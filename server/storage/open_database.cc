#include "server/storage/open_database.h"

#include "server/storage/postgres_database.h"
#include "server/storage/sqlite_database.h"

namespace stowage {

absl::StatusOr<std::shared_ptr<SqlDatabase>> OpenDatabase(
    const std::string& db) {
  return IsPostgresUrl(db) ? OpenPostgresDatabase(db) : OpenSqliteDatabase(db);
}

std::string DatabaseName(const std::string& db) {
  return IsPostgresUrl(db) ? PostgresName(db) : db;
}

}  // namespace stowage
