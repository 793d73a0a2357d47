// The command line: subcommands and their options.
//
//   void AddPlanCommand(Options& root, CommandList& commands) {
//     auto arguments = std::make_shared<PlanArguments>();
//     Options app = root.AddSubcommand("plan", "Make a plan for a graph");
//     app.Add("--seed", arguments->seed, "Seed of random choices")
//         .Check(WholeNumberFrom(0))
//         .ShowDefault();
//     commands.push_back({app, [arguments] { return MakePlan(*arguments); }});
//   }
//
// CLI11 parses and writes the help. It stands behind these classes because each
// file that includes it takes twenty seconds to compile.
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_COMMAND_LINE_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_COMMAND_LINE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/stowage/commands/option_checks.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace stowage::cli {

// One option of a subcommand, freely copied; it belongs to the CommandLine.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option Required();
  Option Check(ValueCheck check);
  // The help tells the value that stands when the option is added.
  Option ShowDefault();
  // Taken from this environment variable where the option is not given.
  Option FromEnvironment(const std::string& variable);
  // For lists: values are separated by commas as well.
  Option SeparatedByCommas();
  // For lists: how many values there must be.
  Option Expects(int least, int most);
  // It is an error to give this option without, or together with, `other`.
  Option Needs(Option other);
  Option Excludes(Option other);

 private:
  CLI::Option* option_;
};

// A subcommand, or the root of all; freely copied, belongs to the CommandLine.
class Options {
 public:
  explicit Options(CLI::App* app) : app_(app) {}

  Options AddSubcommand(const std::string& name, const std::string& help);
  // One of the subcommands must be given.
  void RequireSubcommand();
  // What the help ends with.
  void SetFooter(const std::string& text);

  // Adds an option ("--seed", "-o,--output") or an argument ("graph"). `value`
  // must outlive the parse. T: string, int, int64_t, double, vectors of string
  // and int64_t, optional int and double; a bool is a flag.
  template <typename T>
  Option Add(const std::string& name, T& value, const std::string& help);
  // Adds `--format text|json`.
  void AddFormat(bool& json);
  // An option that was added.
  Option Get(const std::string& name) const;

  // Whether the user named this subcommand.
  bool WasGiven() const;

 private:
  CLI::App* app_;
};

struct Command {
  Options options;
  std::function<int()> run;  // returns the exit code
};

using CommandList = std::vector<Command>;

// Not thread-safe.
class CommandLine {
 public:
  // `version` is what --version prints.
  CommandLine(const std::string& description, const std::string& name,
              const std::string& version);
  ~CommandLine();

  Options root() { return Options(app_.get()); }

  // nullopt when a command is to be run. Otherwise the exit code, and help, the
  // version or the error have been printed.
  std::optional<int> Parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_COMMAND_LINE_H_
