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

struct Judgement {
  // Nanoseconds, more where more is held than may be.
  double cost_ns = std::numeric_limits<double>::max();
  Simulation simulation;
};

Judgement Judge(const Graph& graph, const MemorySystem& system,
                const BuildInput& input, double free_share) {
  auto simulation = Simulate(graph, system, SketchPlan(graph, system, input));
  if (!simulation.ok()) return {};
  const Prediction& prediction = simulation->prediction;
  const double excess_share = static_cast<double>(prediction.fast_peak_bytes) /
                                  static_cast<double>(input.fast_limit_bytes) -
                              (1 - free_share);
  const double cost_ns = static_cast<double>(prediction.step_time_ns) *
                         (1 + 100 * kExcessCost * std::max(0.0, excess_share));
  return {cost_ns, *std::move(simulation)};
}

// What each kernel waits, and takes longer than with everything fast.
std::vector<int64_t> LostNs(const Graph& graph, const Simulation& simulation) {
  std::vector<int64_t> lost_ns;
  for (size_t k = 0; k < simulation.kernels.size(); ++k) {
    const KernelTrace& trace = simulation.kernels[k];
    const int64_t fast_ns =
        graph.kernels[k].profile.fast_inputs_fast_outputs.duration_ns;
    lost_ns.push_back(trace.stall_ns + trace.end_ns - trace.start_ns - fast_ns);
  }
  return lost_ns;
}

}  // namespace

BuildInput AnnealSegments(const Graph& graph, const MemorySystem& system,
                          BuildInput input, const AnnealingEffort& effort) {
  std::sort(input.segments.begin(), input.segments.end(),
            [](const FastSegment& a, const FastSegment& b) {
              return std::pair(a.tensor, a.begin) <
                     std::pair(b.tensor, b.begin);
            });
  SegmentNeighbour neighbour(graph, system.tiers[1].addressable, input.streams);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> chance(0, 1);
  std::vector<FastSegment> now = input.segments;
  std::vector<FastSegment> best = now;
  const Judgement first = Judge(graph, system, input, effort.free_share);
  double now_ns = first.cost_ns;
  double best_ns = now_ns;
  neighbour.Aim(LostNs(graph, first.simulation));
  const double first_ns = kFirstTemperature * now_ns;
  for (int64_t n = 0; n < effort.proposals; ++n) {
    if (n % kLookAtClock == 0 && absl::Now() > effort.deadline) break;
    input.segments = now;
    if (!neighbour.Change(random, input.segments)) continue;
    const double left =
        1 - static_cast<double>(n) / static_cast<double>(effort.proposals);
    const Judgement judgement = Judge(graph, system, input, effort.free_share);
    const double ns = judgement.cost_ns;
    if (ns > now_ns &&
        chance(random) >= std::exp((now_ns - ns) / (first_ns * left))) {
      continue;
    }
    now = input.segments;
    now_ns = ns;
    if (ns >= best_ns) continue;
    best = now;
    best_ns = ns;
    neighbour.Aim(LostNs(graph, judgement.simulation));
  }
  input.segments = std::move(best);
  return input;
}

}  // namespace stowage
