#include "policies/search/annealing/residency_tightening.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "policies/model/liveness.h"
#include "policies/planning/drops.h"
#include "policies/simulate/simulator.h"

namespace stowage::policies {
namespace {

// The least latency of a block device, which orders requests and moves data on
// its own.
constexpr int64_t kLeastDeviceLatencyNs = 20'000;

// A tensor, a start, and whether the move is into the fast tier.
using MoveKey = std::tuple<TensorIndex, KernelIndex, bool>;

bool IsLate(const MemorySystem& system, CopiesBegin begin, const Move& move) {
  if (move.to.tier != kFastTier) return false;
  return begin == CopiesBegin::kLate ||
         system.tiers[move.from.tier].read_latency_ns < kLeastDeviceLatencyNs;
}

// Returns by move when it is to start. Where copies are late, it and those
// behind it in its lane end as they are waited for; elsewhere it starts as
// simulated.
std::vector<int64_t> StartsNs(const MemorySystem& system, CopiesBegin begin,
                              const Plan& plan, const Simulation& simulation,
                              const std::vector<int64_t>& issue_ns) {
  std::vector<int64_t> starts_ns;
  for (const MoveTrace& trace : simulation.moves) {
    starts_ns.push_back(trace.start_ns);
  }
  std::vector<size_t> order(plan.moves.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return simulation.moves[a].start_ns > simulation.moves[b].start_ns;
  });
  std::map<TierIndex, int64_t> next_ns;  // by tier copied from, in that lane
  for (const size_t m : order) {
    const Move& move = plan.moves[m];
    if (!IsLate(system, begin, move)) continue;
    const MoveTrace& trace = simulation.moves[m];
    const int64_t needed_ns = issue_ns[move.deadline_kernel];
    int64_t& next = next_ns.emplace(move.from.tier, needed_ns).first->second;
    const int64_t copy_ns = trace.end_ns - trace.start_ns;
    starts_ns[m] =
        std::max(trace.start_ns, std::min(next, needed_ns) - copy_ns);
    next = starts_ns[m];
  }
  return starts_ns;
}

}  // namespace

void TightenResidencies(const Graph& graph, const MemorySystem& system,
                        CopiesBegin begin, BuildInput& input) {
  // Drops are made before copies are looked up by when they leave, which
  // MakeDrops may change.
  DropRule(graph).EndAtDrops(input.residencies);
  Plan plan = SketchPlan(graph, system, input);
  MakeDrops(graph, plan);
  const auto simulation = Simulate(graph, system, plan);
  if (!simulation.ok()) return;
  const std::vector<int64_t> issue_ns = IssueNs(graph, *simulation);
  const auto uses = UsesByTensor(graph);
  const auto starts_ns = StartsNs(system, begin, plan, *simulation, issue_ns);
  std::map<MoveKey, size_t> moves;
  for (size_t m = 0; m < plan.moves.size(); ++m) {
    const Move& move = plan.moves[m];
    moves[{move.tensor, move.start_kernel, move.to.tier == kFastTier}] = m;
  }
  for (Residency& s : input.residencies) {
    if (s.moved_in && s.begin < s.ready) {
      const size_t m = moves.at({s.tensor, s.begin, true});
      const auto later =
          std::upper_bound(issue_ns.begin(), issue_ns.end(), starts_ns[m]);
      s.begin = std::clamp<KernelIndex>(later - issue_ns.begin() - 1, s.begin,
                                        s.ready - 1);
    }
    if (s.moved_out && s.leave < s.end) {
      const size_t m = moves.at({s.tensor, s.leave, false});
      const auto ended = std::lower_bound(issue_ns.begin(), issue_ns.end(),
                                          simulation->moves[m].end_ns);
      // A tensor may be read while it is copied out.
      const KernelIndex least =
          std::max(s.leave + 1, BehindLast(uses[s.tensor], s.end));
      s.end = std::clamp<KernelIndex>(ended - issue_ns.begin(), least, s.end);
    }
  }
}

}  // namespace stowage::policies
