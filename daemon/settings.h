// Reads a program's settings: flags, then variables of the environment, then a
// configuration file, then defaults.
//
//   ServerConfig config;
//   Settings settings({.name = "stowaged", .variable_prefix = "STOWAGE_"});
//   settings.Add("listen", &config.listen, "address of gRPC");
//   settings.AddNumber("training-nice", &config.training_nice, 0, 19, "niceness");
//   absl::Status loaded = settings.Load(argc, argv);
//   // --training-nice=10, STOWAGE_TRAINING_NICE=10, training-nice = 10
//
// --config, --help and --version are there by themselves. CLI11 reads flags and
// file. It would let the file win over the environment, so this asks for both
// itself.
#ifndef STOWAGE_DAEMON_SETTINGS_H_
#define STOWAGE_DAEMON_SETTINGS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "daemon/setting_value.h"

namespace CLI {
class App;
}

namespace stowage {

struct ProgramInfo {
  std::string name;
  std::string summary;  // a sentence for --help
  std::string version;
  std::string variable_prefix;
  // Whether all variables of the prefix are the program's own, so that others
  // are refused.
  bool owns_prefix = false;
};

// Thread-compatible. Owns none of the values; what they hold when they are
// added is their default.
class Settings {
 public:
  explicit Settings(ProgramInfo program);

  // `name` is that of the flag, without dashes in front.
  void Add(const std::string& name, std::string* value,
           const std::string& help);
  void Add(const std::string& name, bool* value, const std::string& help);
  // A list is given several times, or with separators.
  void AddList(const std::string& name, std::vector<std::string>* values,
               char separator, const std::string& help);
  // The value is one of `choices`.
  void AddChoice(const std::string& name, std::string* value,
                 std::vector<std::string> choices, const std::string& help);
  // The value is from `least` to `most`. For int, int64_t and double.
  template <typename Number>
  void AddNumber(const std::string& name, Number* value, Number least,
                 Number most, const std::string& help);
  void AddDuration(const std::string& name, absl::Duration* value,
                   absl::Duration least, absl::Duration most,
                   const std::string& help);
  // A switch that asks for something else than to run; no file may have it.
  void AddAction(const std::string& name, bool* value, const std::string& help);

  // Sets the values. INVALID_ARGUMENT names what is unknown or malformed, who
  // set it, and the remedy. --help and --version print and exit. Blocks on the
  // file system.
  absl::Status Load(int argc, char** argv);

  // Returns who set a setting, as a message begins: "--listen", "environment
  // variable STOWAGE_LISTEN", "listen in /etc/stowage/stowaged.conf".
  std::string Where(absl::string_view name) const;
  // Returns whether somebody set it.
  bool IsSet(absl::string_view name) const;

  // Returns the settings as the values are now, for a configuration file.
  std::vector<SettingValue> Values() const;

 private:
  enum class Kind { kValue, kSwitch, kList };
  enum class Source { kDefault, kFlag, kVariable, kFile };

  struct Setting {
    std::string name;
    std::string help;
    Kind kind = Kind::kValue;
    bool in_file = true;  // may stand in a configuration file
    std::string form;     // of its value, for --help: "DURATION"
    // Returns why a text is no value: "is no number; name 0 to 19".
    std::function<absl::Status(const std::vector<std::string>&)> parse;
    std::function<std::string()> text;  // for a configuration file
    Source source = Source::kDefault;
  };

  std::string VariableOf(const Setting& setting) const;
  Setting* Find(absl::string_view name);
  const Setting& At(absl::string_view name) const;
  void AddFlags(CLI::App* app, bool with_variables) const;
  absl::Status Set(Setting* setting, Source source,
                   const std::vector<std::string>& texts);
  absl::Status ReadFlags(int argc, char** argv);
  absl::Status ReadVariables();
  absl::Status CheckVariables() const;
  absl::Status ReadFile();

  const ProgramInfo program_;
  std::string file_;  // the value of --config
  std::vector<Setting> settings_;
};

}  // namespace stowage

#endif  // STOWAGE_DAEMON_SETTINGS_H_
