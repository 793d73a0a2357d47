#include "policies/redl/period_search.h"

#include <algorithm>

namespace stowage::policies {
namespace {

// Bounds the work for graphs of very many layers, whose rounds are further
// apart.
constexpr int32_t kMaxRounds = 1024;

}  // namespace

bool SatisfiesPeriodConstraints(const std::vector<IntervalDemand>& demands,
                                const MemorySystem& system,
                                int64_t fast_bytes) {
  return std::all_of(
      demands.begin(), demands.end(), [&](const IntervalDemand& demand) {
        return demand.wanted_bytes <= fast_bytes - demand.short_lived_bytes &&
               demand.duration_ns >=
                   system.CopyDurationNs(1, kFastTier, demand.wanted_bytes);
      });
}

PeriodSearch FindPeriods(const Graph& graph, const MemorySystem& system,
                         const Layers& layers,
                         const std::vector<int64_t>& kernel_ns,
                         int64_t fast_bytes, const Cancellation& cancellation) {
  PeriodSearch search;
  const IntervalMeter meter(graph, layers, kernel_ns);
  const auto test = [&](LayerIndex period) {
    if (search.found || period < 1 || period > layers.count()) return;
    if (cancellation.IsCancelled()) return;
    search.tested.push_back(period);
    search.found =
        SatisfiesPeriodConstraints(meter.Measure(period), system, fast_bytes);
  };
  const LayerIndex median = (layers.count() + 1) / 2;
  const LayerIndex step = 1 + layers.count() / (2 * kMaxRounds);
  test(median);
  for (LayerIndex distance = step; !search.found && distance <= median;
       distance += step) {
    ++search.rounds;
    test(median + distance);
    test(median - distance);
  }
  if (search.tested.empty()) search.tested.push_back(1);
  return search;
}

std::vector<LayerIndex> PeriodsToMeasure(const PeriodSearch& search,
                                         int count) {
  const auto total = static_cast<int>(search.tested.size());
  const int stride = (total + count - 1) / count;
  std::vector<LayerIndex> periods;
  for (int i = total - 1; i >= 0; i -= stride) {
    periods.push_back(search.tested[i]);
  }
  return periods;
}

}  // namespace stowage::policies
