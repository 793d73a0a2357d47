// Finds memory systems by name: the testbeds of the papers and common machines.
// policies/model/presets/*.json has their figures and sources.
//
//   absl::StatusOr<MemorySystem> system = PresetMemorySystem("optane");
#ifndef STOWAGE_POLICIES_MODEL_PRESETS_H_
#define STOWAGE_POLICIES_MODEL_PRESETS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

// Returns the names, sorted.
std::vector<std::string> PresetNames();

// Returns the memory system of that name. NOT_FOUND lists the names there are.
absl::StatusOr<MemorySystem> PresetMemorySystem(std::string_view name);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_PRESETS_H_
