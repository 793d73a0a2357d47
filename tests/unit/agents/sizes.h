// Names sizes for the tests of the agent.
#ifndef STOWAGE_TESTS_UNIT_AGENTS_SIZES_H_
#define STOWAGE_TESTS_UNIT_AGENTS_SIZES_H_

#include <cstdint>

#include "client_sdk/session/session.h"

namespace stowage::agent {

inline constexpr int64_t kPage = session::kPageBytes;
inline constexpr int64_t kMiB = 1 << 20;

}  // namespace stowage::agent

#endif  // STOWAGE_TESTS_UNIT_AGENTS_SIZES_H_
