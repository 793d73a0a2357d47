// Declares the names that the examples of configuration/ use.
//
//   namespace stowage::examples { extern Settings settings; }
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CONFIGURATION_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CONFIGURATION_H_

#include <iostream>
#include <string>
#include <vector>

#include "configuration/settings.h"

namespace stowage::examples {

struct ServerConfig {
  std::string listen;
  int training_nice;
};

extern int argc;
extern char** argv;
void Tell(const std::string& text);

namespace configuration::setting_value_h {
extern Settings settings;
extern std::vector<SettingValue> next;
}  // namespace configuration::setting_value_h

}  // namespace stowage::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CONFIGURATION_H_
