// Makes and removes the directories and files of claims.
//
//   absl::Status made = MakeDirectory("/run/stowage/claims", 0700);
//   absl::Status gone = RemoveAll("/run/stowage/claims/slurm-17");
#ifndef STOWAGE_AGENTS_CLAIMS_CLAIM_FILES_H_
#define STOWAGE_AGENTS_CLAIMS_CLAIM_FILES_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"

namespace stowage::agent {

// Makes the directory, and those above it, with this mode, whatever the umask.
// One that is there keeps its mode. Errors name it and say what to do.
absl::Status MakeDirectory(const std::string& path, mode_t mode);

// Removes a file, or a directory and all in it. OK if there is none. Errors name
// it and say what to do.
absl::Status RemoveAll(const std::string& path);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_CLAIMS_CLAIM_FILES_H_
