// Translates PostgreSQL's error codes for callers of the stores.
//
//   if (failed) return PostgresStatus(sql_state, message);
#ifndef STOWAGE_SERVER_STORAGE_POSTGRES_STATUS_H_
#define STOWAGE_SERVER_STORAGE_POSTGRES_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stowage {

// Returns the status of a statement that failed with this SQLSTATE, with the
// remedy; an empty one means that the connection is lost. sql.h lists the
// errors.
absl::Status PostgresStatus(absl::string_view sql_state,
                            absl::string_view message);

}  // namespace stowage

#endif  // STOWAGE_SERVER_STORAGE_POSTGRES_STATUS_H_
