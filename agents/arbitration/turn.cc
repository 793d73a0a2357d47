#include "agents/arbitration/turn.h"

#include <algorithm>
#include <tuple>

#include "absl/base/internal/raw_logging.h"

namespace stowage::agent {
namespace {

// Orders copies by when they go.
std::tuple<int64_t, int64_t, int64_t> OrderOf(const Waiting& copy) {
  const int64_t beyond_bytes =
      std::max<int64_t>(copy.ahead_bytes - kMostAheadBytes, 0);
  return {beyond_bytes, copy.deadline_ns, copy.ahead_bytes};
}

}  // namespace

size_t NextTurn(absl::Span<const Waiting> waiting) {
  ABSL_RAW_CHECK(!waiting.empty(), "nobody waits for a turn");
  const auto next = std::min_element(waiting.begin(), waiting.end(),
                                     [](const Waiting& a, const Waiting& b) {
                                       return OrderOf(a) < OrderOf(b);
                                     });
  return next - waiting.begin();
}

}  // namespace stowage::agent
