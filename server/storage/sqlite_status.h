// Translates SQLite's error codes for callers of the stores.
//
//   if (code != SQLITE_OK) return SqliteFailure(database, code);
#ifndef STOWAGE_SERVER_STORAGE_SQLITE_STATUS_H_
#define STOWAGE_SERVER_STORAGE_SQLITE_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

struct sqlite3;

namespace stowage {

// Returns the status of a code that is not SQLITE_OK, with the remedy. sqlite.h
// lists the errors.
absl::Status SqliteStatus(int sqlite_code, absl::string_view message);

// Returns the status of a call on the connection that has just failed. After
// damage the connection refuses writes from then on, with DATA_LOSS.
absl::Status SqliteFailure(sqlite3* database, int sqlite_code);

}  // namespace stowage

#endif  // STOWAGE_SERVER_STORAGE_SQLITE_STATUS_H_
