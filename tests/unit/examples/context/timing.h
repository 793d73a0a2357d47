// Declares the names that the examples of timing/ use.
//
//   namespace stowage::examples { void Look(); }
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_TIMING_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_TIMING_H_

#include <thread>

#include "absl/time/time.h"
#include "timing/canceller.h"

namespace stowage::examples {

extern absl::Duration timeout;
void Ask(Canceller* canceller);
bool HasNews();
void Improve();
void Look();

}  // namespace stowage::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_TIMING_H_
