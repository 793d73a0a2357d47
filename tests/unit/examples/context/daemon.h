// Declares the names that the examples of daemon/ use.
//
//   namespace stowage::examples { extern Settings settings; }
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_DAEMON_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_DAEMON_H_

#include <iostream>
#include <string>
#include <vector>

#include "daemon/settings.h"

namespace stowage::examples {

struct ServerConfig {
  std::string listen;
  int training_nice;
};

extern int argc;
extern char** argv;
void Tell(const std::string& text);

namespace daemon {
extern std::string id;
extern absl::Time now;
void Reload();
namespace reload_h {
extern std::vector<SettingValue> running, loaded;
}
namespace setting_value_h {
extern Settings settings;
extern std::vector<SettingValue> next;
}  // namespace setting_value_h
}  // namespace daemon

}  // namespace stowage::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_DAEMON_H_
