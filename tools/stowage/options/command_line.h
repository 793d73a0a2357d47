// Defines subcommands and their options.
//
//   auto arguments = std::make_shared<PlanArguments>();
//   Options app = root.AddSubcommand("plan", "Make a plan for a graph");
//   app.Add("--seed", arguments->seed, "Seed of random choices")
//       .Check(WholeNumberFrom(0))
//       .ShowDefault();
//   commands.push_back({app, [arguments] { return MakePlan(*arguments); }});
//
// CLI11 parses the command line and writes the help. These classes hide it,
// because each file that includes it takes twenty seconds to compile.
#ifndef STOWAGE_TOOLS_STOWAGE_OPTIONS_COMMAND_LINE_H_
#define STOWAGE_TOOLS_STOWAGE_OPTIONS_COMMAND_LINE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/stowage/options/option_checks.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace stowage::cli {

// An option of a subcommand. Freely copied; it belongs to the CommandLine.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option Required();
  Option Check(ValueCheck check);
  // Lets the help show the value that the option has when it is added.
  Option ShowDefault();
  // Reads this environment variable if the option is not given.
  Option FromEnvironment(const std::string& variable);
  // Lets commas, too, separate the values of a list.
  Option SeparatedByCommas();
  // Says how many values a list must have.
  Option Expects(int least, int most);
  // Make it an error to give this option without, or together with, `other`.
  Option Needs(Option other);
  Option Excludes(Option other);

 private:
  CLI::Option* option_;
};

// A subcommand, or the root of all. Freely copied; it belongs to the
// CommandLine.
class Options {
 public:
  explicit Options(CLI::App* app) : app_(app) {}

  Options AddSubcommand(const std::string& name, const std::string& help);
  // Makes it an error to give no subcommand.
  void RequireSubcommand();
  // Sets the text with which the help ends.
  void SetFooter(const std::string& text);

  // Adds an option ("--seed", "-o,--output") or an argument ("graph"). `value`
  // must outlive the parse. T may be string, int, int64_t, double, a vector of
  // string or int64_t, or an optional int or double. A bool is a flag.
  template <typename T>
  Option Add(const std::string& name, T& value, const std::string& help);
  // Adds `--format text|json`.
  void AddFormat(bool& json);
  // Returns an option that was added.
  Option Get(const std::string& name) const;

  // Returns whether the user named this subcommand.
  bool WasGiven() const;

 private:
  CLI::App* app_;
};

struct Command {
  Options options;
  std::function<int()> run;  // returns the exit code
};

using CommandList = std::vector<Command>;

// What the help says of an option that has a flag.
struct OptionInfo {
  std::vector<std::string> flags;  // "-o", "--output"
  std::string help;
  bool has_value = false;
  std::vector<std::string> choices;  // what the value may be; empty: anything
};

// What the help says of a command and of those below it.
struct CommandInfo {
  std::string name;
  std::string help;
  std::vector<OptionInfo> options;
  std::vector<CommandInfo> subcommands;
};

// Not thread-safe.
class CommandLine {
 public:
  // --version prints `version`.
  CommandLine(const std::string& description, const std::string& name,
              const std::string& version);
  ~CommandLine();

  Options root() { return Options(app_.get()); }

  // Parses the arguments. Returns nullopt if a command is to be run. Otherwise
  // prints the help, the version or an error and returns the exit code.
  std::optional<int> Parse(int argc, char** argv);

  // Returns all commands that have been added, below the program itself.
  CommandInfo Describe() const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_OPTIONS_COMMAND_LINE_H_
