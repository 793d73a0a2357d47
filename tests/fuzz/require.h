// States what holds for every input of a fuzzer. Where it does not, the process
// aborts, which libFuzzer and the replay take for a finding.
//
//   RequireRefusal(refused);   // may be OK
//   Require(size > 0, "the input has bytes");
#ifndef STOWAGE_TESTS_FUZZ_REQUIRE_H_
#define STOWAGE_TESTS_FUZZ_REQUIRE_H_

#include <cstdlib>
#include <iostream>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stowage {

inline void Require(bool holds, absl::string_view what) {
  if (holds) return;
  std::cerr << "does not hold: " << what << std::endl;
  std::abort();
}

// Requires that an error says what is wrong with the input, and does not call
// it a fault of the program.
inline void RequireRefusal(const absl::Status& status) {
  if (status.ok()) return;
  const bool is_fault = absl::IsInternal(status) || absl::IsUnknown(status) ||
                        absl::IsDataLoss(status);
  if (!is_fault && !status.message().empty()) return;
  std::cerr << "no refusal: " << status << std::endl;
  std::abort();
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_FUZZ_REQUIRE_H_
