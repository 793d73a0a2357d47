#include "policies/stow/segment_tightening.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "policies/model/liveness.h"
#include "policies/planning/drops.h"
#include "policies/planning/simulator.h"

namespace stowage {
namespace {

// Tensor, start, and whether it is into the fast tier.
using MoveKey = std::tuple<TensorIndex, KernelIndex, bool>;

// When copies are issued at each boundary.
std::vector<int64_t> IssueNs(const Graph& graph, const Simulation& simulation) {
  std::vector<int64_t> issue_ns;
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    issue_ns.push_back(simulation.kernels[k].start_ns -
                       graph.kernels[k].gap_ns);
  }
  issue_ns.push_back(simulation.prediction.step_time_ns);
  return issue_ns;
}

// One past the last of `uses`, ascending, before `end`; 0 where there is none.
template <typename Uses>
KernelIndex BehindLastUse(const Uses& uses, KernelIndex end) {
  const auto use = std::lower_bound(uses.begin(), uses.end(), end);
  return use == uses.begin() ? 0 : *std::prev(use) + 1;
}

}  // namespace

void TightenSegments(const Graph& graph, const MemorySystem& system,
                     BuildInput& input) {
  // Before they are looked up by when they leave, which MakeDrops may change.
  DropRule(graph).EndAtDrops(input.segments);
  Plan plan = SketchPlan(graph, system, input);
  MakeDrops(graph, plan);
  const auto simulation = Simulate(graph, system, plan);
  if (!simulation.ok()) return;
  const std::vector<int64_t> issue_ns = IssueNs(graph, *simulation);
  const auto uses = UsesByTensor(graph);
  std::map<MoveKey, const MoveTrace*> traces;
  for (size_t m = 0; m < plan.moves.size(); ++m) {
    const Move& move = plan.moves[m];
    traces[{move.tensor, move.start_kernel, move.to.tier == kFastTier}] =
        &simulation->moves[m];
  }
  for (FastSegment& s : input.segments) {
    if (s.moved_in && s.begin < s.ready) {
      const MoveTrace& trace = *traces.at({s.tensor, s.begin, true});
      const auto later =
          std::upper_bound(issue_ns.begin(), issue_ns.end(), trace.start_ns);
      s.begin = std::clamp<KernelIndex>(later - issue_ns.begin() - 1, s.begin,
                                        s.ready - 1);
    }
    if (s.moved_out && s.leave < s.end) {
      const MoveTrace& trace = *traces.at({s.tensor, s.leave, false});
      const auto ended =
          std::lower_bound(issue_ns.begin(), issue_ns.end(), trace.end_ns);
      // What is copied out may be read meanwhile.
      const KernelIndex least =
          std::max(s.leave + 1, BehindLastUse(uses[s.tensor], s.end));
      s.end = std::clamp<KernelIndex>(ended - issue_ns.begin(), least, s.end);
    }
  }
}

}  // namespace stowage
