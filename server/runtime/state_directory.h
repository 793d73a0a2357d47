// Where stowaged keeps what outlives it when nobody says where.
//
//   absl::StatusOr<std::string> directory = MakeStateDirectory();
#ifndef STOWAGE_SERVER_RUNTIME_STATE_DIRECTORY_H_
#define STOWAGE_SERVER_RUNTIME_STATE_DIRECTORY_H_

#include <string>

#include "absl/status/statusor.h"

namespace stowage {

// $STATE_DIRECTORY (systemd), else $XDG_STATE_HOME/stowage, else
// ~/.local/state/stowage; made when it is not there, for its owner alone.
// FAILED_PRECONDITION when none of them is set or it cannot be made.
absl::StatusOr<std::string> MakeStateDirectory();

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_STATE_DIRECTORY_H_
