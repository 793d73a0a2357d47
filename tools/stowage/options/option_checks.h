// Checks the values of options.
//
//   app.Add("--time-limit", seconds, "Most seconds").Check(SecondsUpTo(86400));
//   app.Add("--seed", seed, "Seed").Check(WholeNumberFrom(0));
//   app.Add("--output", path, "Output file").Check(NotEmpty());
//
// Pure functions.
#ifndef STOWAGE_TOOLS_STOWAGE_OPTIONS_OPTION_CHECKS_H_
#define STOWAGE_TOOLS_STOWAGE_OPTIONS_OPTION_CHECKS_H_

#include <cstdint>
#include <functional>
#include <string>

namespace stowage::cli {

struct ValueCheck {
  // Says what is wrong with the text; empty: nothing.
  std::function<std::string(const std::string&)> problem;
  // The help shows it beside the option; may be empty.
  std::string description;
};

// Accepts seconds in [0, most_s]. CLI::Range would accept "nan", which compares
// with nothing.
ValueCheck SecondsUpTo(double most_s);

// Accepts a whole number in [least, most]. CLI11 alone takes a number that is
// too large for the largest int64_t.
ValueCheck WholeNumberIn(int64_t least, int64_t most);
ValueCheck WholeNumberFrom(int64_t least);

// Refuses an empty text, which is what a variable of the shell that is not set
// expands to.
ValueCheck NotEmpty();

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_OPTIONS_OPTION_CHECKS_H_
