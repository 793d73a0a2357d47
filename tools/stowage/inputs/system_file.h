// Loads a memory system by the name of a preset or from a file.
//
//   absl::StatusOr<policies::MemorySystem> system = LoadSystem("optane");
#ifndef STOWAGE_TOOLS_STOWAGE_INPUTS_SYSTEM_FILE_H_
#define STOWAGE_TOOLS_STOWAGE_INPUTS_SYSTEM_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "policies/model/memory_system.h"

namespace stowage::cli {

// Returns the system. A file may be binary or proto JSON, gzipped or not.
// NOT_FOUND, which lists the presets: `name` is neither a preset nor a file.
absl::StatusOr<policies::MemorySystem> LoadSystem(const std::string& name);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_INPUTS_SYSTEM_FILE_H_
