#include "daemon/settings.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "daemon/config_file.h"
#include "daemon/setting_text.h"

namespace stowage {
namespace {

using Texts = std::vector<std::string>;

constexpr char kConfig[] = "config";

std::string FlagOf(absl::string_view name) { return absl::StrCat("--", name); }

const char* BoolText(bool value) { return value ? "true" : "false"; }

absl::Status Refused(const std::string& why) {
  return absl::InvalidArgumentError(why);
}

// CLI11 takes the argument that follows for the value of "--name=". Here this
// means an empty value.
Texts SplitEmptyValues(int argc, char** argv) {
  Texts arguments;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    const bool is_empty_value =
        absl::StartsWith(argument, "--") && absl::EndsWith(argument, "=");
    if (is_empty_value) argument.pop_back();
    arguments.push_back(std::move(argument));
    if (is_empty_value) arguments.emplace_back();
  }
  return arguments;
}

}  // namespace

Settings::Settings(ProgramInfo program) : program_(std::move(program)) {
  Add(kConfig, &file_,
      "Configuration file: NAME = VALUE lines with names as those of flags");
  settings_.back().in_file = false;
}

void Settings::Add(const std::string& name, std::string* value,
                   const std::string& help) {
  settings_.push_back({.name = name,
                       .help = help,
                       .form = "TEXT",
                       .parse =
                           [value](const Texts& texts) {
                             *value = texts.back();
                             return absl::OkStatus();
                           },
                       .text = [value] { return Quoted(*value); }});
}

void Settings::Add(const std::string& name, bool* value,
                   const std::string& help) {
  settings_.push_back({.name = name,
                       .help = help,
                       .kind = Kind::kSwitch,
                       .parse =
                           [value](const Texts& texts) {
                             return ParseBool(texts.back(), value);
                           },
                       .text = [value] { return BoolText(*value); }});
}

void Settings::AddAction(const std::string& name, bool* value,
                         const std::string& help) {
  Add(name, value, help);
  settings_.back().in_file = false;
}

void Settings::AddList(const std::string& name,
                       std::vector<std::string>* values, char separator,
                       const std::string& help) {
  settings_.push_back(
      {.name = name,
       .help = help,
       .kind = Kind::kList,
       .form = "LIST",
       .parse =
           [values, separator](const Texts& texts) {
             values->clear();
             for (const std::string& text : texts) {
               const Texts parts =
                   absl::StrSplit(text, separator, absl::SkipEmpty());
               values->insert(values->end(), parts.begin(), parts.end());
             }
             return absl::OkStatus();
           },
       .text = [values] { return ListText(*values); }});
}

void Settings::AddChoice(const std::string& name, std::string* value,
                         std::vector<std::string> choices,
                         const std::string& help) {
  settings_.push_back(
      {.name = name,
       .help = help,
       .form = "TEXT",
       .parse =
           [value, choices = std::move(choices)](const Texts& texts) {
             *value = texts.back();
             if (std::find(choices.begin(), choices.end(), *value) !=
                 choices.end()) {
               return absl::OkStatus();
             }
             return Refused(
                 absl::StrCat("name ", absl::StrJoin(choices, " or ")));
           },
       .text = [value] { return Quoted(*value); }});
}

template <typename Number>
void Settings::AddNumber(const std::string& name, Number* value, Number least,
                         Number most, const std::string& help) {
  settings_.push_back({.name = name,
                       .help = help,
                       .form = "NUMBER",
                       .parse =
                           [value, least, most](const Texts& texts) {
                             return ParseNumber(texts.back(), least, most,
                                                value);
                           },
                       .text = [value] { return absl::StrCat(*value); }});
}
template void Settings::AddNumber(const std::string&, int*, int, int,
                                  const std::string&);
template void Settings::AddNumber(const std::string&, int64_t*, int64_t,
                                  int64_t, const std::string&);
template void Settings::AddNumber(const std::string&, double*, double, double,
                                  const std::string&);

void Settings::AddDuration(const std::string& name, absl::Duration* value,
                           absl::Duration least, absl::Duration most,
                           const std::string& help) {
  settings_.push_back(
      {.name = name,
       .help = help,
       .form = "DURATION",
       .parse =
           [value, least, most](const Texts& texts) {
             return ParseDuration(texts.back(), least, most, value);
           },
       .text = [value] { return Quoted(absl::FormatDuration(*value)); }});
}

std::string Settings::VariableOf(const Setting& setting) const {
  return absl::StrCat(
      program_.variable_prefix,
      absl::AsciiStrToUpper(absl::StrReplaceAll(setting.name, {{"-", "_"}})));
}

Settings::Setting* Settings::Find(absl::string_view name) {
  for (Setting& setting : settings_) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

const Settings::Setting& Settings::At(absl::string_view name) const {
  return *std::find_if(settings_.begin(), settings_.end(),
                       [name](const auto& s) { return s.name == name; });
}

std::string Settings::Where(absl::string_view name) const {
  const Setting& setting = At(name);
  switch (setting.source) {
    case Source::kVariable:
      return absl::StrCat("environment variable ", VariableOf(setting));
    case Source::kFile:
      return absl::StrCat(name, " in ", file_);
    case Source::kDefault:
    case Source::kFlag:
      break;
  }
  return FlagOf(name);
}

bool Settings::IsSet(absl::string_view name) const {
  return At(name).source != Source::kDefault;
}

std::vector<SettingValue> Settings::Values() const {
  std::vector<SettingValue> values;
  for (const Setting& setting : settings_) {
    if (!setting.in_file) continue;
    const std::string sources[] = {"default", "flag", VariableOf(setting),
                                   file_};
    values.push_back({.name = setting.name,
                      .text = setting.text(),
                      .source = sources[static_cast<int>(setting.source)]});
  }
  return values;
}

absl::Status Settings::Set(Setting* setting, Source source,
                           const Texts& texts) {
  setting->source = source;
  const std::string where = Where(setting->name);
  if (setting->kind != Kind::kList && source == Source::kFile &&
      texts.size() != 1) {
    return Refused(absl::StrCat(where, " has ", texts.size(),
                                " values; give one, with quotes around it"));
  }
  absl::Status parsed = setting->parse(texts);
  if (parsed.ok()) return parsed;
  return Refused(
      absl::StrCat(where, " is ", texts.back(), "; ", parsed.message()));
}

void Settings::AddFlags(CLI::App* app, bool with_variables) const {
  for (const Setting& setting : settings_) {
    const std::string flag = FlagOf(setting.name);
    CLI::Option* option = nullptr;
    if (setting.kind == Kind::kSwitch) {
      // CLI11 would write to text that is not constant.
      const std::string help =
          absl::StrCat(setting.help, " (default: ", setting.text(), ")");
      option = app->add_flag(flag, help);
    } else {
      option = app->add_option(flag, setting.help);
      option->type_name(setting.form)->default_str(setting.text());
    }
    option->multi_option_policy(setting.kind == Kind::kList
                                    ? CLI::MultiOptionPolicy::TakeAll
                                    : CLI::MultiOptionPolicy::TakeLast);
    if (with_variables) option->envname(VariableOf(setting));
  }
  app->set_version_flag("--version",
                        absl::StrCat(program_.name, " ", program_.version));
  app->allow_extras();
}

absl::Status Settings::ReadFlags(int argc, char** argv) {
  CLI::App app(program_.summary, program_.name);
  AddFlags(&app, /*with_variables=*/false);
  Texts arguments = SplitEmptyValues(argc, argv);
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::Success& asked) {
    CLI::App shown(program_.summary, program_.name);
    AddFlags(&shown, /*with_variables=*/true);
    std::exit(shown.exit(asked));
  } catch (const CLI::ParseError& error) {
    return Refused(absl::StrCat(error.what(), "; --help lists the flags"));
  }
  if (const Texts extra = app.remaining(); !extra.empty()) {
    const bool is_flag = absl::StartsWith(extra[0], "-");
    return Refused(absl::StrCat(
        is_flag ? "unknown flag '" : "unexpected argument '", extra[0], "'; ",
        program_.name, " takes only flags, which --help lists"));
  }
  for (Setting& setting : settings_) {
    const CLI::Option* option = app.get_option(FlagOf(setting.name));
    if (option->count() == 0) continue;
    absl::Status set = Set(&setting, Source::kFlag, option->results());
    if (!set.ok()) return set;
  }
  return absl::OkStatus();
}

absl::Status Settings::ReadVariables() {
  for (Setting& setting : settings_) {
    const char* value = std::getenv(VariableOf(setting).c_str());
    if (setting.source != Source::kDefault || value == nullptr) continue;
    absl::Status set = Set(&setting, Source::kVariable, {value});
    if (!set.ok()) return set;
  }
  return program_.owns_prefix ? CheckVariables() : absl::OkStatus();
}

absl::Status Settings::CheckVariables() const {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string name(*entry, std::strcspn(*entry, "="));
    if (!absl::StartsWith(name, program_.variable_prefix)) continue;
    const bool known = std::any_of(
        settings_.begin(), settings_.end(),
        [&](const Setting& setting) { return VariableOf(setting) == name; });
    if (!known) {
      return Refused(absl::StrCat(
          "unknown environment variable ", name,
          "; unset it; --help lists the flags and their variables"));
    }
  }
  return absl::OkStatus();
}

absl::Status Settings::ReadFile() {
  if (file_.empty()) return absl::OkStatus();
  const absl::StatusOr<std::vector<FileEntry>> entries = ReadConfigFile(file_);
  if (!entries.ok()) return entries.status();
  for (const FileEntry& entry : *entries) {
    Setting* setting = Find(entry.name);
    if (setting == nullptr) {
      return Refused(absl::StrCat(file_, ": ", entry.name,
                                  " is unknown; correct or remove it, --help "
                                  "lists what there is"));
    }
    if (!setting->in_file) {
      return Refused(absl::StrCat(file_, ": ", entry.name,
                                  " may not stand in a configuration file; "
                                  "remove it, and give the flag --",
                                  entry.name));
    }
    if (setting->source == Source::kFile) {
      return Refused(absl::StrCat(file_, ": ", entry.name,
                                  " stands there twice; remove one"));
    }
    if (setting->source != Source::kDefault) continue;
    absl::Status set = Set(setting, Source::kFile, entry.values);
    if (!set.ok()) return set;
  }
  return absl::OkStatus();
}

absl::Status Settings::Load(int argc, char** argv) {
  for (Setting& setting : settings_) setting.source = Source::kDefault;
  if (absl::Status read = ReadFlags(argc, argv); !read.ok()) return read;
  if (absl::Status read = ReadVariables(); !read.ok()) return read;
  return ReadFile();
}

}  // namespace stowage
