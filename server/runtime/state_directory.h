// Finds the directory in which stowaged keeps its state by default.
//
//   absl::StatusOr<std::string> directory = MakeStateDirectory();
#ifndef STOWAGE_SERVER_RUNTIME_STATE_DIRECTORY_H_
#define STOWAGE_SERVER_RUNTIME_STATE_DIRECTORY_H_

#include <string>

#include "absl/status/statusor.h"

namespace stowage {

// Returns $STATE_DIRECTORY (systemd), else $XDG_STATE_HOME/stowage, else
// ~/.local/state/stowage. Makes it, for its owner alone, if it does not exist.
// FAILED_PRECONDITION: the environment names none, or it cannot be made.
absl::StatusOr<std::string> MakeStateDirectory();

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_STATE_DIRECTORY_H_
