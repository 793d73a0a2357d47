#include "policies/sentinel/interval_length.h"

#include <algorithm>
#include <utility>

namespace stowage::policies {
namespace {

// The number of short lengths that stand in when equation 1 holds for none.
constexpr LayerIndex kShortLengths = 8;

// Returns the next length to look at: every length up to 32, then ever fewer.
// That bounds the work for graphs of many layers.
LayerIndex NextLength(LayerIndex length) {
  return length + std::max(1, length / 16);
}

}  // namespace

bool SatisfiesSpaceConstraint(const std::vector<IntervalDemand>& demands,
                              int64_t fast_bytes) {
  return std::all_of(
      demands.begin(), demands.end(), [&](const IntervalDemand& demand) {
        return demand.wanted_bytes < fast_bytes - demand.short_lived_bytes;
      });
}

int64_t ExposedMigrationNs(const std::vector<IntervalDemand>& demands,
                           const MemorySystem& system, int64_t fast_bytes) {
  int64_t exposed_ns = 0;
  for (const IntervalDemand& demand : demands) {
    const int64_t room_bytes =
        std::max<int64_t>(0, fast_bytes - demand.short_lived_bytes);
    exposed_ns +=
        std::max<int64_t>(0, system.CopyDurationNs(1, kFastTier, room_bytes) -
                                 demand.duration_ns);
  }
  return exposed_ns;
}

IntervalLengths FindIntervalLengths(const Graph& graph,
                                    const MemorySystem& system,
                                    const Layers& layers,
                                    const std::vector<int64_t>& kernel_ns,
                                    int64_t fast_bytes,
                                    const Cancellation& cancellation) {
  IntervalLengths found{.satisfy_space = true};
  const IntervalMeter meter(graph, layers, kernel_ns);
  std::vector<std::pair<int64_t, LayerIndex>> by_exposed;
  for (LayerIndex length = 1; length <= layers.count();
       length = NextLength(length)) {
    if (cancellation.IsCancelled()) break;
    const std::vector<IntervalDemand> demands = meter.Measure(length);
    if (!SatisfiesSpaceConstraint(demands, fast_bytes)) {
      // Tensor(MIL) grows with the length, so no longer one satisfies it.
      if (length == 1) found.satisfy_space = false;
      if (found.satisfy_space || length >= kShortLengths) break;
    }
    by_exposed.emplace_back(ExposedMigrationNs(demands, system, fast_bytes),
                            length);
  }
  std::sort(by_exposed.begin(), by_exposed.end());
  for (const auto& [exposed_ns, length] : by_exposed) {
    found.best.push_back(length);
  }
  if (found.best.empty()) found.best.push_back(1);
  return found;
}

}  // namespace stowage::policies
