// Keeps what rounds of a measurement gave.
//
//   Series rate;
//   rate.values.push_back(1234);
//   std::cout << rate.Text(0);   // "1234 (1234 to 1234)"
#ifndef STOWAGE_TESTS_BENCH_SERVING_SERIES_H_
#define STOWAGE_TESTS_BENCH_SERVING_SERIES_H_

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"

namespace stowage {

struct Series {
  std::vector<double> values;  // not empty where Text() is called

  // Returns the median, with the least and the most in brackets.
  std::string Text(int digits) {
    std::sort(values.begin(), values.end());
    return absl::StrFormat("%.*f (%.*f to %.*f)", digits,
                           values[values.size() / 2], digits, values.front(),
                           digits, values.back());
  }
};

}  // namespace stowage

#endif  // STOWAGE_TESTS_BENCH_SERVING_SERIES_H_
