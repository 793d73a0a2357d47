// Names sizes for the tests of the agent.
#ifndef STOWAGE_TESTS_UNIT_AGENTS_SIZES_H_
#define STOWAGE_TESTS_UNIT_AGENTS_SIZES_H_

#include <cstdint>

namespace stowage::agent {

inline constexpr int64_t kMiB = 1 << 20;

}  // namespace stowage::agent

#endif  // STOWAGE_TESTS_UNIT_AGENTS_SIZES_H_
