#include "daemon/setting_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace stowage {

absl::Status ParseBool(const std::string& text, bool* value) {
  try {
    *value = CLI::detail::to_flag_value(text) > 0;
    return absl::OkStatus();
  } catch (const std::invalid_argument&) {
    return absl::InvalidArgumentError("name true or false");
  }
}

absl::Status ParseDuration(const std::string& text, absl::Duration least,
                           absl::Duration most, absl::Duration* value) {
  if (absl::ParseDuration(text, value) && *value >= least && *value <= most) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("name ", absl::FormatDuration(least), " to ",
                   absl::FormatDuration(most)));
}

absl::Status ParseChoice(const std::string& text,
                         const std::vector<std::string>& choices,
                         std::string* value) {
  *value = text;
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("name ", absl::StrJoin(choices, " or ")));
}

template <typename Number>
absl::Status ParseNumber(const std::string& text, Number least, Number most,
                         Number* value) {
  bool is_number;
  if constexpr (std::is_same_v<Number, double>) {
    is_number = absl::SimpleAtod(text, value);
  } else {
    is_number = absl::SimpleAtoi(text, value);
  }
  // NaN is in no range.
  if (is_number && *value >= least && *value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("name ", least, " to ", most));
}
template absl::Status ParseNumber(const std::string&, int, int, int*);
template absl::Status ParseNumber(const std::string&, int64_t, int64_t,
                                  int64_t*);
template absl::Status ParseNumber(const std::string&, double, double, double*);

std::string Quoted(absl::string_view text) {
  const char* quote = absl::StrContains(text, '"') ? "'" : "\"";
  return absl::StrCat(quote, text, quote);
}

std::string ListText(const std::vector<std::string>& values) {
  return absl::StrCat(
      "[",
      absl::StrJoin(values, ", ",
                    [](std::string* out, const std::string& value) {
                      absl::StrAppend(out, Quoted(value));
                    }),
      "]");
}

}  // namespace stowage
