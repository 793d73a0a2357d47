// Embeds the text of policies/model/presets/*.json as the library is built. Use
// presets.h instead.
#ifndef STOWAGE_POLICIES_MODEL_PRESET_FILES_H_
#define STOWAGE_POLICIES_MODEL_PRESET_FILES_H_

#include <string_view>
#include <vector>

namespace stowage::policies {

struct PresetFile {
  std::string_view name;
  std::string_view json;
};

// Returns the files, sorted by name. They are never destroyed.
const std::vector<PresetFile>& PresetFiles();

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_PRESET_FILES_H_
