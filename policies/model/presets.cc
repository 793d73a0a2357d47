#include "policies/model/presets.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "policies/model/codec.h"
#include "policies/model/memory_system_proto.h"
#include "policies/model/preset_files.h"

namespace stowage::policies {

std::vector<std::string> PresetNames() {
  std::vector<std::string> names;
  for (const PresetFile& file : PresetFiles()) names.emplace_back(file.name);
  return names;
}

absl::StatusOr<MemorySystem> PresetMemorySystem(std::string_view name) {
  for (const PresetFile& file : PresetFiles()) {
    if (file.name != name) continue;
    absl::StatusOr<v1::MemorySystem> proto = ParseMemorySystem(file.json);
    if (!proto.ok()) return proto.status();
    return MemorySystemFromProto(*proto);
  }
  return absl::NotFoundError(
      absl::StrCat("there is no memory system '", std::string(name),
                   "'; the presets are ", absl::StrJoin(PresetNames(), ", ")));
}

}  // namespace stowage::policies
