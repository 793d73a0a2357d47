// Checks options that are seconds. CLI::Range lets through what is no number at
// all ("nan"), which compares with nothing.
//
//   app.add_option("--time-limit", seconds)->check(SecondsUpTo(86400));
//
// Pure function.
#ifndef STOWAGE_TOOLS_STOWAGE_SECONDS_RANGE_H_
#define STOWAGE_TOOLS_STOWAGE_SECONDS_RANGE_H_

#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace stowage::cli {

inline CLI::Validator SecondsUpTo(double most_s) {
  const std::string range = absl::StrCat("in [0 - ", most_s, "]");
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        double seconds = 0;
        const bool is_in_range = absl::SimpleAtod(text, &seconds) &&
                                 seconds >= 0 && seconds <= most_s;
        return is_in_range ? "" : absl::StrCat("Value ", text, " not ", range);
      },
      absl::StrCat("FLOAT ", range), "seconds");
}

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_SECONDS_RANGE_H_
