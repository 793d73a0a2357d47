#include <string>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tools/stowage/completion/completion.h"

namespace stowage::cli {
namespace {

void AppendCommands(const CommandInfo& command, const std::string& words,
                    nlohmann::ordered_json& list) {
  if (command.subcommands.empty()) {
    list.push_back({{"command", words}, {"help", command.help}});
  }
  for (const CommandInfo& below : command.subcommands) {
    AppendCommands(below, absl::StrCat(words, " ", below.name), list);
  }
}

}  // namespace

std::string CommandListJson(const CommandInfo& program) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  AppendCommands(program, program.name, list);
  return absl::StrCat(list.dump(2), "\n");
}

}  // namespace stowage::cli
