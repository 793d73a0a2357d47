// Says what each setting of a program is and who set it, as lines of a
// configuration file, and which of them two configurations have differently.
//
//   std::vector<SettingValue> running = settings.Values();
//   std::cout << ToConfigFile(running);   // listen = "127.0.0.1:7420"  # default
//   for (const SettingChange& change : Changes(running, next)) Tell(change.name);
#ifndef STOWAGE_DAEMON_SETTING_VALUE_H_
#define STOWAGE_DAEMON_SETTING_VALUE_H_

#include <string>
#include <vector>

namespace stowage {

// Plain data.
struct SettingValue {
  std::string name;    // of the flag, without its dashes
  std::string text;    // as a configuration file has it: 64, "10s", ["a", "b"]
  std::string source;  // "flag", a variable, a file or "default"
};

struct SettingChange {
  std::string name;
  std::string before;  // as SettingValue::text
  std::string after;
};

// Returns a configuration file of these settings, a line each, which says in a
// comment who set it.
std::string ToConfigFile(const std::vector<SettingValue>& settings);

// Returns the settings whose values differ. Both lists are of one program, so
// they have the same names in the same order.
std::vector<SettingChange> Changes(const std::vector<SettingValue>& before,
                                   const std::vector<SettingValue>& after);

}  // namespace stowage

#endif  // STOWAGE_DAEMON_SETTING_VALUE_H_
