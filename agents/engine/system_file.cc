#include "agents/engine/system_file.h"

#include <fstream>
#include <sstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"

namespace stowage::agent {

absl::StatusOr<v1::MemorySystem> ReadSystemFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!(text << file.rdbuf())) {
    return absl::NotFoundError(absl::StrCat(
        "the memory system '", path,
        "' cannot be read; write one with stowage calibrate -o FILE"));
  }
  v1::MemorySystem system;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(text.str(), &system);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the memory system '", path,
                     "' is not proto JSON: ", std::string(parsed.message())));
  }
  if (system.tiers_size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the memory system '", path, "' has ", system.tiers_size(),
        " tiers; give one of a fast and a slow tier of this host"));
  }
  return system;
}

}  // namespace stowage::agent
