// Makes the tables of a database and brings older ones up to date.
//
//   absl::Status status = MigrateSchema(SqliteSchema(), database.get());
//
// Each migration runs in its own transaction, so that an interrupted one leaves
// the version before it. Migrations of a shared database only add, so that
// replicas of the version before it go on while new ones take over.
#ifndef STOWAGE_SERVER_STORAGE_SCHEMA_H_
#define STOWAGE_SERVER_STORAGE_SCHEMA_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/storage/sql_database.h"

namespace stowage {

// Holds what one kind of database needs to keep the schema's version.
struct Schema {
  // Migration i leads from version i to i + 1. A released migration never
  // changes.
  absl::Span<const absl::string_view> migrations;
  std::string prepare;             // a script that may run at any version
  absl::string_view read_version;  // a query
  std::string (*write_version)(int64_t version);  // returns a script
  absl::string_view count_tables;  // a query for tables of whomever
};

Schema SqliteSchema();
Schema PostgresSchema();

// Brings the database to the newest schema. FAILED_PRECONDITION: a newer
// version wrote it, or it holds somebody else's tables.
absl::Status MigrateSchema(const Schema& schema, SqlDatabase* database);

}  // namespace stowage

#endif  // STOWAGE_SERVER_STORAGE_SCHEMA_H_
