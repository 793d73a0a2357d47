#include "tools/stowage/options/command_line.h"

#include <cstdint>
#include <type_traits>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/stowage/output/exit_code.h"

namespace stowage::cli {
namespace {

// Returns the error for a missing subcommand, with the word that is in its
// place. CLI11 does not mention that word.
std::string NoSubcommand(const CLI::App& root) {
  const CLI::App* app = &root;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  const std::vector<std::string> words = root.remaining(/*recurse=*/true);
  const bool is_missing = app->get_require_subcommand_min() > 0;
  return is_missing && !words.empty() ? words.front() : "";
}

// Returns what a value may be; empty: anything. CLI11 describes the members of a
// set as "{text,json}".
std::vector<std::string> ChoicesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{');
  if (begin == std::string::npos || type.back() != '}') return {};
  return absl::StrSplit(type.substr(begin + 1, type.size() - begin - 2), ',');
}

OptionInfo DescribeOption(const CLI::Option& option) {
  OptionInfo info = {.help = option.get_description(),
                     .has_value = option.get_items_expected_max() > 0,
                     .choices = ChoicesOf(option)};
  for (const std::string& name : option.get_snames()) {
    info.flags.push_back(absl::StrCat("-", name));
  }
  for (const std::string& name : option.get_lnames()) {
    info.flags.push_back(absl::StrCat("--", name));
  }
  return info;
}

CommandInfo DescribeCommand(const CLI::App& app) {
  CommandInfo info = {.name = app.get_name(), .help = app.get_description()};
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional())
      info.options.push_back(DescribeOption(*option));
  }
  for (const CLI::App* command : app.get_subcommands(/*filter=*/{})) {
    info.subcommands.push_back(DescribeCommand(*command));
  }
  return info;
}

}  // namespace

Option Option::Required() {
  option_->required();
  return *this;
}

Option Option::Check(ValueCheck check) {
  option_->check(CLI::Validator(
      [problem = std::move(check.problem)](std::string& text) {
        return problem(text);
      },
      std::move(check.description)));
  return *this;
}

Option Option::ShowDefault() {
  option_->capture_default_str();
  return *this;
}

Option Option::FromEnvironment(const std::string& variable) {
  option_->envname(variable);
  return *this;
}

Option Option::SeparatedByCommas() {
  option_->delimiter(',');
  return *this;
}

Option Option::Expects(int least, int most) {
  option_->expected(least, most);
  return *this;
}

Option Option::Needs(Option other) {
  option_->needs(other.option_);
  return *this;
}

Option Option::Excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

Options Options::AddSubcommand(const std::string& name,
                               const std::string& help) {
  return Options(app_->add_subcommand(name, help));
}

void Options::RequireSubcommand() { app_->require_subcommand(1); }

void Options::SetFooter(const std::string& text) { app_->footer(text); }

template <typename T>
Option Options::Add(const std::string& name, T& value,
                    const std::string& help) {
  if constexpr (std::is_same_v<T, bool>) {
    return Option(app_->add_flag(name, value, help));
  } else {
    return Option(app_->add_option(name, value, help));
  }
}

template Option Options::Add(const std::string&, bool&, const std::string&);
template Option Options::Add(const std::string&, int&, const std::string&);
template Option Options::Add(const std::string&, int64_t&, const std::string&);
template Option Options::Add(const std::string&, double&, const std::string&);
template Option Options::Add(const std::string&, std::string&,
                             const std::string&);
template Option Options::Add(const std::string&, std::optional<int>&,
                             const std::string&);
template Option Options::Add(const std::string&, std::optional<double>&,
                             const std::string&);
template Option Options::Add(const std::string&, std::vector<int64_t>&,
                             const std::string&);
template Option Options::Add(const std::string&, std::vector<std::string>&,
                             const std::string&);

void Options::AddFormat(bool& json) {
  app_->add_option_function<std::string>(
          "--format", [&json](const std::string& f) { json = f == "json"; },
          "Format of what is printed: text or json")
      ->check(CLI::IsMember({"text", "json"}));
}

Option Options::Get(const std::string& name) const {
  return Option(app_->get_option(name));
}

bool Options::WasGiven() const { return app_->parsed(); }

CommandLine::CommandLine(const std::string& description,
                         const std::string& name, const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("--version", version);
}

CommandLine::~CommandLine() = default;

std::optional<int> CommandLine::Parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    const std::string word = NoSubcommand(*app_);
    if (word.empty()) return app_->exit(error), kExitUsage;
    return ReportUsageError(absl::InvalidArgumentError(absl::StrCat(
        "there is no subcommand '", word, "'; --help lists the subcommands")));
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? kExitOk : kExitUsage;
  }
  return std::nullopt;
}

CommandInfo CommandLine::Describe() const { return DescribeCommand(*app_); }

}  // namespace stowage::cli
