// Makes the tables of the SQLite database and brings older ones up to date.
//
//   absl::Status status = MigrateSchema(&database);
//
// `PRAGMA user_version` holds the schema's version. Each migration runs in its
// own transaction, so that an interrupted one leaves the version before it.
#ifndef STOWAGE_SERVER_GRAPHS_SCHEMA_H_
#define STOWAGE_SERVER_GRAPHS_SCHEMA_H_

#include "absl/status/status.h"
#include "server/graphs/sqlite.h"

namespace stowage {

// Brings the database to the newest schema. FAILED_PRECONDITION: a newer
// version wrote it, or it holds somebody else's tables.
absl::Status MigrateSchema(SqliteDatabase* database);

}  // namespace stowage

#endif  // STOWAGE_SERVER_GRAPHS_SCHEMA_H_
