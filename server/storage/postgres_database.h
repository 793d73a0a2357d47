// Implements SqlDatabase by a PostgreSQL database that several replicas of the
// service share.
//
//   absl::StatusOr<std::shared_ptr<SqlDatabase>> database =
//       OpenPostgresDatabase("postgresql://stowage@db.example/stowage");
//   Tell(PostgresName("postgresql://stowage:secret@db.example/stowage"));
#ifndef STOWAGE_SERVER_STORAGE_POSTGRES_DATABASE_H_
#define STOWAGE_SERVER_STORAGE_POSTGRES_DATABASE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/storage/sql_database.h"

namespace stowage {

// Returns whether the text is a URL of a PostgreSQL database.
bool IsPostgresUrl(absl::string_view text);

// Returns the URL without what is secret in it, for logs.
std::string PostgresName(const std::string& url);

// Connects and brings the schema up to date. Keeps up to eight connections;
// makes new ones for those that are lost, so that it goes on when the server is
// back. Errors are those of PostgresConnection and MigrateSchema(), and
// INVALID_ARGUMENT: the URL is none.
absl::StatusOr<std::shared_ptr<SqlDatabase>> OpenPostgresDatabase(
    const std::string& url);

}  // namespace stowage

#endif  // STOWAGE_SERVER_STORAGE_POSTGRES_DATABASE_H_
