#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tools/stowage/completion/completion.h"

namespace stowage::cli {
namespace {

std::string FishQuoted(const std::string& text) {
  return absl::StrCat(
      "'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

// Returns the condition that the user has named `above`, and nothing of
// `command` below it.
std::string FishCondition(const std::vector<std::string>& above,
                          const CommandInfo& command) {
  std::vector<std::string> parts;
  parts.reserve(above.size() + 1);
  for (const std::string& name : above) {
    parts.push_back(absl::StrCat("__fish_seen_subcommand_from ", name));
  }
  if (!command.subcommands.empty()) {
    parts.push_back(absl::StrCat(
        "not __fish_seen_subcommand_from ",
        absl::StrJoin(command.subcommands, " ",
                      [](std::string* out, const CommandInfo& below) {
                        out->append(below.name);
                      })));
  }
  return FishQuoted(absl::StrJoin(parts, "; and "));
}

std::string FishOptionLine(const std::string& begin, const OptionInfo& option) {
  std::string line = begin;
  for (const std::string& flag : option.flags) {
    const bool is_long = absl::StartsWith(flag, "--");
    absl::StrAppend(&line, is_long ? " -l " : " -s ",
                    flag.substr(is_long ? 2 : 1));
  }
  if (option.has_value) absl::StrAppend(&line, " -r");
  if (!option.choices.empty()) {
    absl::StrAppend(&line, " -f -a ",
                    FishQuoted(absl::StrJoin(option.choices, " ")));
  }
  return absl::StrCat(line, " -d ", FishQuoted(option.help), "\n");
}

void AppendFishCommand(const std::string& program, const CommandInfo& command,
                       const std::vector<std::string>& above,
                       std::string& script) {
  const std::string begin = absl::StrCat("complete -c ", program, " -n ",
                                         FishCondition(above, command));
  for (const OptionInfo& option : command.options) {
    script.append(FishOptionLine(begin, option));
  }
  for (const CommandInfo& below : command.subcommands) {
    absl::StrAppend(&script, begin, " -f -a ", below.name, " -d ",
                    FishQuoted(below.help), "\n");
    std::vector<std::string> names = above;
    names.push_back(below.name);
    AppendFishCommand(program, below, names, script);
  }
}

}  // namespace

std::string FishCompletion(const CommandInfo& program) {
  std::string script =
      absl::StrCat("# fish completion for ", program.name, "\n");
  AppendFishCommand(program.name, program, {}, script);
  return script;
}

}  // namespace stowage::cli
