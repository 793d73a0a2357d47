#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "tools/stowage/completion/completion.h"

namespace stowage::cli {
namespace {

// $0: the program; $1: patterns of commands; $2: words of each command; $3:
// patterns of flags with a value; $4: values of some. Bash splits "--a=b" into
// three words.
constexpr char kBashScript[] = R"(# bash completion for $0
_$0() {
  local word=$${COMP_WORDS[COMP_CWORD]} flag=$${COMP_WORDS[COMP_CWORD-1]}
  local command=$0 words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$$command $${COMP_WORDS[i]}" in
      *' --')
        declare -F _command_offset >/dev/null && _command_offset $$((i + 1))
        return ;;
      $1) command+=" $${COMP_WORDS[i]}" ;;
    esac
  done
  case $$command in
$2  esac
  if [[ $$word == = ]]; then
    word=
  elif [[ $$flag == = ]]; then
    flag=$${COMP_WORDS[COMP_CWORD-2]}
  fi
  case "$$command $$flag" in
$4    $3) words= ;;
  esac
  COMPREPLY=($$(compgen -W "$$words" -- "$$word"))
}
complete -o default -F _$0 $0
)";

struct BashParts {
  std::vector<std::string> commands, valued;
  std::string words, values;
};

void AddBashOptions(const CommandInfo& command, const std::string& name,
                    std::vector<std::string>& words, BashParts& parts) {
  for (const OptionInfo& option : command.options) {
    for (const std::string& flag : option.flags) {
      words.push_back(flag);
      if (!option.has_value) continue;
      const std::string pattern = absl::StrCat("'", name, " ", flag, "'");
      if (option.choices.empty()) {
        parts.valued.push_back(pattern);
      } else {
        absl::StrAppend(&parts.values, "    ", pattern, ") words='",
                        absl::StrJoin(option.choices, " "), "' ;;\n");
      }
    }
  }
}

// `name` is the command with those above it.
void AddBashCommand(const CommandInfo& command, const std::string& name,
                    BashParts& parts) {
  std::vector<std::string> words;
  for (const CommandInfo& below : command.subcommands) {
    words.push_back(below.name);
  }
  AddBashOptions(command, name, words, parts);
  absl::StrAppend(&parts.words, "    '", name, "') words='",
                  absl::StrJoin(words, " "), "' ;;\n");
  for (const CommandInfo& below : command.subcommands) {
    const std::string below_name = absl::StrCat(name, " ", below.name);
    parts.commands.push_back(absl::StrCat("'", below_name, "'"));
    AddBashCommand(below, below_name, parts);
  }
}

}  // namespace

std::string BashCompletion(const CommandInfo& program) {
  BashParts parts;
  AddBashCommand(program, program.name, parts);
  return absl::Substitute(kBashScript, program.name,
                          absl::StrJoin(parts.commands, "|"), parts.words,
                          absl::StrJoin(parts.valued, "|"), parts.values);
}

}  // namespace stowage::cli
