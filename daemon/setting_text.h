// Parses the texts of settings, and writes values as a configuration file has
// them.
//
//   absl::Duration wait;
//   absl::Status parsed =
//       ParseDuration("5s", absl::ZeroDuration(), absl::Hours(1), &wait);
//   std::string text = ListText({"a", "b"});   // ["a", "b"]
#ifndef STOWAGE_DAEMON_SETTING_TEXT_H_
#define STOWAGE_DAEMON_SETTING_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace stowage {

// These set the value, or return INVALID_ARGUMENT with what to name instead:
// "name 0 to 19".
absl::Status ParseBool(const std::string& text, bool* value);
absl::Status ParseDuration(const std::string& text, absl::Duration least,
                           absl::Duration most, absl::Duration* value);
absl::Status ParseChoice(const std::string& text,
                         const std::vector<std::string>& choices,
                         std::string* value);
// For int, int64_t and double.
template <typename Number>
absl::Status ParseNumber(const std::string& text, Number least, Number most,
                         Number* value);

// Returns the text between quotes.
std::string Quoted(absl::string_view text);
// Returns the array of these texts.
std::string ListText(const std::vector<std::string>& values);

}  // namespace stowage

#endif  // STOWAGE_DAEMON_SETTING_TEXT_H_
