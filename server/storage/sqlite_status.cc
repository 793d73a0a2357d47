#include "server/storage/sqlite_status.h"

#include <sqlite3.h>

#include "absl/strings/str_cat.h"

namespace stowage {
namespace {

absl::StatusCode CodeOf(int sqlite_code) {
  switch (sqlite_code & 0xff) {  // the primary code of an extended one
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::StatusCode::kDataLoss;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_READONLY:
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_NOMEM:
      return absl::StatusCode::kUnavailable;
    case SQLITE_TOOBIG:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_CONSTRAINT:
      return absl::StatusCode::kFailedPrecondition;
    default:
      return absl::StatusCode::kInternal;
  }
}

absl::string_view RemedyOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kDataLoss:
      return "; stop the service and restore the database from a backup, save "
             "what can be read as docs/reference-stowaged.md says, or move it "
             "away to start with an empty one";
    case absl::StatusCode::kUnavailable:
      return "; check the space and permissions of its directory and try again";
    default:
      return "";
  }
}

// Makes the connection refuse writes from now on. It remembers this itself.
void RefuseWrites(sqlite3* database) {
  sqlite3_exec(database, "PRAGMA query_only = ON", nullptr, nullptr, nullptr);
}

bool RefusesWrites(sqlite3* database) {
  bool refuses = false;
  sqlite3_exec(
      database, "PRAGMA query_only",
      [](void* result, int, char** values, char**) {
        *static_cast<bool*>(result) = values[0][0] == '1';
        return 0;
      },
      &refuses, nullptr);
  return refuses;
}

}  // namespace

absl::Status SqliteStatus(int sqlite_code, absl::string_view message) {
  const absl::StatusCode code = CodeOf(sqlite_code);
  return absl::Status(code,
                      absl::StrCat("database: ", message, RemedyOf(code)));
}

absl::Status SqliteFailure(sqlite3* database, int sqlite_code) {
  absl::Status status = SqliteStatus(sqlite_code, sqlite3_errmsg(database));
  if (absl::IsDataLoss(status)) RefuseWrites(database);
  if ((sqlite_code & 0xff) == SQLITE_READONLY && RefusesWrites(database)) {
    return SqliteStatus(SQLITE_CORRUPT,
                        "it is damaged and takes no more writes");
  }
  return status;
}

}  // namespace stowage
