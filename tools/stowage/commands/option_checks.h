// Checks of what options are given that CLI11 lacks.
//
//   app.add_option("--time-limit", seconds)->check(SecondsUpTo(86400));
//   app.add_option("--seed", seed)->check(WholeNumberFrom(0));
//   app.add_option("--output", path)->check(NotEmpty());
//
// Pure functions.
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_OPTION_CHECKS_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_OPTION_CHECKS_H_

#include <cstdint>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace stowage::cli {

// CLI::Range lets through what is no number at all ("nan"), which compares with
// nothing.
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

// For int64_t: CLI11 takes its largest value for what is too large.
inline CLI::Validator WholeNumberFrom(int64_t least) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        int64_t number = 0;
        if (absl::SimpleAtoi(text, &number) && number >= least) return "";
        return absl::StrCat("Value ", text, " is no whole number from ", least,
                            " to ", INT64_MAX);
      },
      absl::StrCat("from ", least), "whole number");
}

// A variable of the shell that is not set looks like this.
inline CLI::Validator NotEmpty() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        return text.empty() ? "the value is empty" : "";
      },
      "", "not empty");
}

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_OPTION_CHECKS_H_
