#include "policies/stow/segment_annealing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "policies/planning/simulator.h"
#include "policies/stow/segment_neighbour.h"

namespace stowage {
namespace {

// Of the step's time, what a change may lose in the beginning.
constexpr double kFirstTemperature = 3e-5;

// Proposals between two looks at the clock.
constexpr int64_t kLookAtClock = 64;

// What a hundredth of the limit that is held too much costs, of the step.
constexpr double kExcessCost = 0.2;

// Nanoseconds, more where more is held than may be.
double Judge(const Graph& graph, const MemorySystem& system,
             const BuildInput& input, double free_share) {
  const auto simulation =
      Simulate(graph, system, SketchPlan(graph, system, input));
  if (!simulation.ok()) return std::numeric_limits<double>::max();
  const Prediction& prediction = simulation->prediction;
  const double excess_share = static_cast<double>(prediction.fast_peak_bytes) /
                                  static_cast<double>(input.fast_limit_bytes) -
                              (1 - free_share);
  return static_cast<double>(prediction.step_time_ns) *
         (1 + 100 * kExcessCost * std::max(0.0, excess_share));
}

}  // namespace

BuildInput AnnealSegments(const Graph& graph, const MemorySystem& system,
                          BuildInput input, const AnnealingEffort& effort) {
  std::sort(input.segments.begin(), input.segments.end(),
            [](const FastSegment& a, const FastSegment& b) {
              return std::pair(a.tensor, a.begin) <
                     std::pair(b.tensor, b.begin);
            });
  const SegmentNeighbour neighbour(graph, system.tiers[1].addressable,
                                   input.streams);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> chance(0, 1);
  std::vector<FastSegment> now = input.segments;
  std::vector<FastSegment> best = now;
  double now_ns = Judge(graph, system, input, effort.free_share);
  double best_ns = now_ns;
  const double first_ns = kFirstTemperature * now_ns;
  for (int64_t n = 0; n < effort.proposals; ++n) {
    if (n % kLookAtClock == 0 && absl::Now() > effort.deadline) break;
    input.segments = now;
    if (!neighbour.Change(random, input.segments)) continue;
    const double left =
        1 - static_cast<double>(n) / static_cast<double>(effort.proposals);
    const double ns = Judge(graph, system, input, effort.free_share);
    if (ns > now_ns &&
        chance(random) >= std::exp((now_ns - ns) / (first_ns * left))) {
      continue;
    }
    now = input.segments;
    now_ns = ns;
    if (ns >= best_ns) continue;
    best = now;
    best_ns = ns;
  }
  input.segments = std::move(best);
  return input;
}

}  // namespace stowage
