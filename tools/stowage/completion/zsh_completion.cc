#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "tools/stowage/completion/completion.h"

namespace stowage::cli {
namespace {

// Of a command with others below it. $0: its function; $1: its options; $2:
// those below with their helps; $3: a case for each of them.
constexpr char kZshGroup[] = R"($0() {
  local state line
  local -a commands
  _arguments -C \
$1    '1: :->command' '*:: :->rest'
  case $$state in
    command)
      commands=($2)
      _describe command commands ;;
    rest)
      case $$line[1] in
$3      esac ;;
  esac
}
)";

// Of a command without others below it. Behind "--" there is another command.
constexpr char kZshCommand[] = R"($0() {
  local dashes=$${words[(I)--]}
  if (( dashes && dashes < CURRENT )); then
    shift $$dashes words
    (( CURRENT -= dashes ))
    _normal
    return
  fi
  _arguments \
$1    '*:file:_files'
}
)";

std::string ZshQuoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

std::string ZshEscaped(const std::string& help) {
  return absl::StrReplaceAll(
      help, {{"\\", "\\\\"}, {":", "\\:"}, {"[", "\\["}, {"]", "\\]"}});
}

// Returns a line of _arguments for each flag.
std::string ZshOptionLines(const CommandInfo& command) {
  std::string lines;
  for (const OptionInfo& option : command.options) {
    for (const std::string& flag : option.flags) {
      std::string line =
          absl::StrCat("*", flag, "[", ZshEscaped(option.help), "]");
      if (!option.choices.empty()) {
        absl::StrAppend(&line, ":value:(", absl::StrJoin(option.choices, " "),
                        ")");
      } else if (option.has_value) {
        absl::StrAppend(&line, ":value:_files");
      }
      absl::StrAppend(&lines, "    ", ZshQuoted(line), " \\\n");
    }
  }
  return lines;
}

void AppendZshCommand(const CommandInfo& command, const std::string& function,
                      std::string& script) {
  if (command.subcommands.empty()) {
    script.append(
        absl::Substitute(kZshCommand, function, ZshOptionLines(command)));
    return;
  }
  std::vector<std::string> below;
  std::string cases;
  for (const CommandInfo& one : command.subcommands) {
    below.push_back(
        ZshQuoted(absl::StrCat(one.name, ":", ZshEscaped(one.help))));
    const std::string below_function = absl::StrCat(function, "_", one.name);
    absl::StrAppend(&cases, "        ", one.name, ") ", below_function,
                    " ;;\n");
    AppendZshCommand(one, below_function, script);
  }
  script.append(absl::Substitute(kZshGroup, function, ZshOptionLines(command),
                                 absl::StrJoin(below, "\n                "),
                                 cases));
}

}  // namespace

std::string ZshCompletion(const CommandInfo& program) {
  const std::string function = absl::StrCat("_", program.name);
  std::string script = absl::StrCat("#compdef ", program.name, "\n");
  AppendZshCommand(program, function, script);
  // Read by `source`, too, and not only from the path of functions.
  return absl::StrCat(script, "if [[ $funcstack[1] == ", function,
                      " ]]; then\n  ", function, " \"$@\"\nelse\n  compdef ",
                      function, " ", program.name, "\nfi\n");
}

}  // namespace stowage::cli
