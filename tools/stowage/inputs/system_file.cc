#include "tools/stowage/inputs/system_file.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "policies/model/codec.h"
#include "policies/model/memory_system_proto.h"
#include "policies/model/presets.h"
#include "tools/stowage/inputs/input_file.h"

namespace stowage::cli {
namespace {

absl::StatusOr<policies::MemorySystem> ParseSystem(const std::string& bytes) {
  absl::StatusOr<v1::MemorySystem> proto = policies::ParseMemorySystem(bytes);
  if (!proto.ok()) return proto.status();
  return policies::MemorySystemFromProto(*proto);
}

}  // namespace

absl::StatusOr<policies::MemorySystem> LoadSystem(const std::string& name) {
  const std::vector<std::string> presets = policies::PresetNames();
  if (std::find(presets.begin(), presets.end(), name) != presets.end()) {
    return policies::PresetMemorySystem(name);
  }
  if (!std::filesystem::exists(name)) {
    return absl::NotFoundError(
        absl::StrCat("--system ", name, ": neither a preset (",
                     absl::StrJoin(presets, ", "), ") nor a file"));
  }
  const absl::StatusOr<std::string> bytes = ReadFile(name);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<policies::MemorySystem> system = ParseSystem(*bytes);
  if (system.ok()) return system;
  return absl::Status(system.status().code(),
                      absl::StrCat(name, ": ", system.status().message()));
}

}  // namespace stowage::cli
