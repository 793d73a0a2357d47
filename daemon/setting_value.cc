#include "daemon/setting_value.h"

#include <cstddef>

#include "absl/strings/str_cat.h"

namespace stowage {

std::string ToConfigFile(const std::vector<SettingValue>& settings) {
  std::string file;
  for (const SettingValue& setting : settings) {
    absl::StrAppend(&file, setting.name, " = ", setting.text, "  # ",
                    setting.source, "\n");
  }
  return file;
}

std::vector<SettingChange> Changes(const std::vector<SettingValue>& before,
                                   const std::vector<SettingValue>& after) {
  std::vector<SettingChange> changes;
  for (size_t i = 0; i < before.size() && i < after.size(); ++i) {
    if (before[i].text == after[i].text) continue;
    changes.push_back({.name = before[i].name,
                       .before = before[i].text,
                       .after = after[i].text});
  }
  return changes;
}

}  // namespace stowage
