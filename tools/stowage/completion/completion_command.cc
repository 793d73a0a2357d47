#include "tools/stowage/completion/completion_command.h"

#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/stowage/completion/completion.h"
#include "tools/stowage/output/exit_code.h"

namespace stowage::cli {
namespace {

int PrintCompletion(const CommandLine& command_line, const std::string& form) {
  static const auto* const forms =
      new std::map<std::string, std::string (*)(const CommandInfo&)>{
          {"bash", BashCompletion},
          {"fish", FishCompletion},
          {"json", CommandListJson},
          {"zsh", ZshCompletion}};
  const auto found = forms->find(form);
  if (found == forms->end()) {
    return ReportUsageError(absl::InvalidArgumentError(
        absl::StrCat("there is no completion for '", form,
                     "'; name bash, fish or zsh, or json")));
  }
  std::cout << found->second(command_line.Describe());
  return kExitOk;
}

}  // namespace

void AddCompletionCommand(CommandLine& command_line, CommandList& commands) {
  auto form = std::make_shared<std::string>();
  Options app = command_line.root().AddSubcommand(
      "completion", "Print a script that lets a shell complete commands");
  app.Add("shell", *form,
          "The shell: bash, fish or zsh; json for a list of the commands")
      .Required();
  app.SetFooter("For this shell: source <(stowage completion bash)");
  commands.push_back({app, [&command_line, form] {
                        return PrintCompletion(command_line, *form);
                      }});
}

}  // namespace stowage::cli
