// Checks of what options are given.
//
//   app.Add("--time-limit", seconds, "Most seconds").Check(SecondsUpTo(86400));
//   app.Add("--seed", seed, "Seed").Check(WholeNumberFrom(0));
//   app.Add("--output", path, "Output file").Check(NotEmpty());
//
// Pure functions.
#ifndef STOWAGE_TOOLS_STOWAGE_COMMANDS_OPTION_CHECKS_H_
#define STOWAGE_TOOLS_STOWAGE_COMMANDS_OPTION_CHECKS_H_

#include <cstdint>
#include <functional>
#include <string>

namespace stowage::cli {

struct ValueCheck {
  // Says what is wrong with the text; empty: nothing.
  std::function<std::string(const std::string&)> problem;
  // Stands in the help beside the option; may be empty.
  std::string description;
};

// Seconds in [0, most_s]. CLI::Range lets through what is no number at all
// ("nan"), which compares with nothing.
ValueCheck SecondsUpTo(double most_s);

// A whole number in [least, most]. CLI11 alone takes the largest int64_t for
// what is too large.
ValueCheck WholeNumberIn(int64_t least, int64_t most);
ValueCheck WholeNumberFrom(int64_t least);

// A variable of the shell that is not set looks like an empty text.
ValueCheck NotEmpty();

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMMANDS_OPTION_CHECKS_H_
