#include "tools/stowage/options/option_checks.h"

#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace stowage::cli {
namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

}  // namespace

ValueCheck SecondsUpTo(double most_s) {
  const std::string range = absl::StrCat("in [0 - ", most_s, "]");
  return {.problem = [=](const std::string& text) -> std::string {
            double seconds = 0;
            const bool is_in_range = absl::SimpleAtod(text, &seconds) &&
                                     seconds >= 0 && seconds <= most_s;
            return is_in_range ? ""
                               : absl::StrCat("Value ", text, " not ", range);
          },
          .description = absl::StrCat("FLOAT ", range)};
}

ValueCheck WholeNumberIn(int64_t least, int64_t most) {
  return {.problem = [=](const std::string& text) -> std::string {
            int64_t number = 0;
            if (absl::SimpleAtoi(text, &number) && number >= least &&
                number <= most) {
              return "";
            }
            return absl::StrCat("Value ", text, " is not a whole number from ",
                                least, " to ", most);
          },
          .description = most == kLargest
                             ? absl::StrCat("from ", least)
                             : absl::StrCat("from ", least, " to ", most)};
}

ValueCheck WholeNumberFrom(int64_t least) {
  return WholeNumberIn(least, kLargest);
}

ValueCheck NotEmpty() {
  return {.problem = [](const std::string& text) -> std::string {
            return text.empty() ? "the value is empty" : "";
          },
          .description = ""};
}

}  // namespace stowage::cli
