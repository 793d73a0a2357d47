#include "policies/search/annealing/early_leaving.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "policies/model/groups.h"
#include "policies/model/liveness.h"
#include "policies/plan/plan.h"
#include "policies/planning/drops.h"
#include "policies/simulate/lane_schedule.h"
#include "policies/simulate/simulator.h"

namespace stowage::policies {
namespace {

// The step that a plan makes.
struct Sketch {
  Plan plan;
  Simulation simulation;
};

std::optional<Sketch> SketchOf(const Graph& graph, const MemorySystem& system,
                               const BuildInput& input) {
  Plan plan = SketchPlan(graph, system, input);
  MakeDrops(graph, plan);
  auto simulation = Simulate(graph, system, plan, input.cancellation);
  if (!simulation.ok()) return std::nullopt;
  return Sketch{std::move(plan), *std::move(simulation)};
}

class EarlyLeaver {
 public:
  EarlyLeaver(const Graph& graph, const Sketch& sketch)
      : graph_(graph),
        sketch_(sketch),
        issue_ns_(IssueNs(graph, sketch.simulation)),
        uses_(UsesByTensor(graph)),
        writes_(WritesByTensor(graph)) {
    for (size_t m = 0; m < sketch.plan.moves.size(); ++m) {
      const Move& move = sketch.plan.moves[m];
      if (move.to.tier == kFastTier || move.is_drop) continue;
      copies_out_[{move.tensor, move.start_kernel}] = m;
      const MoveTrace& trace = sketch.simulation.moves[m];
      lanes_[move.to.tier].Reserve(trace.start_ns,
                                   trace.end_ns - trace.start_ns);
    }
  }

  void Leave(Residency& s) {
    const auto copy = copies_out_.find({s.tensor, s.leave});
    const KernelIndex earliest = Earliest(s);
    if (!s.moved_out || copy == copies_out_.end() || earliest >= s.leave) {
      return;
    }
    const MoveTrace& trace = sketch_.simulation.moves[copy->second];
    const int64_t copy_ns = trace.end_ns - trace.start_ns;
    LaneSchedule& lane = lanes_[sketch_.plan.moves[copy->second].to.tier];
    lane.Release(trace.start_ns, copy_ns);
    const int64_t start_ns = std::min(
        trace.start_ns, lane.EarliestStart(issue_ns_[earliest], copy_ns));
    lane.Reserve(start_ns, copy_ns);
    s.leave = std::clamp(IssuedBy(start_ns), earliest, s.leave);
    const auto ended = std::lower_bound(issue_ns_.begin(), issue_ns_.end(),
                                        start_ns + copy_ns);
    const KernelIndex least =
        std::max(s.leave, BehindLast(uses_[s.tensor], s.end));
    s.end = std::clamp<KernelIndex>(ended - issue_ns_.begin(), least, s.end);
  }

 private:
  // Returns the first boundary at which the copy may begin.
  KernelIndex Earliest(const Residency& s) const {
    // At one boundary, copies out go before synchronous copies in, and both go
    // before births.
    const bool is_born =
        s.begin > 0 || !graph_.tensors[s.tensor].alive_at_start();
    const bool arrives_late = s.moved_in ? s.begin == s.ready : is_born;
    return std::max(s.ready + (arrives_late ? 1 : 0),
                    BehindLast(writes_[s.tensor], s.end));
  }

  // Returns the last boundary whose copies are issued by `ns`.
  KernelIndex IssuedBy(int64_t ns) const {
    const auto later = std::upper_bound(issue_ns_.begin(), issue_ns_.end(), ns);
    return static_cast<KernelIndex>(later - issue_ns_.begin() - 1);
  }

  const Graph& graph_;
  const Sketch& sketch_;
  const std::vector<int64_t> issue_ns_;  // by boundary
  const Groups uses_;                    // kernels by tensor
  const Groups writes_;
  std::map<std::pair<TensorIndex, KernelIndex>, size_t> copies_out_;
  std::map<TierIndex, LaneSchedule> lanes_;  // by tier copied to
};

}  // namespace

void LeaveEarly(const Graph& graph, const MemorySystem& system,
                BuildInput& input) {
  const auto sketch = SketchOf(graph, system, input);
  if (!sketch.has_value()) return;
  BuildInput early = input;
  EarlyLeaver leaver(graph, *sketch);
  for (Residency& residency : early.residencies) leaver.Leave(residency);
  const auto early_sketch = SketchOf(graph, system, early);
  if (!early_sketch.has_value() ||
      early_sketch->simulation.prediction.step_time_ns >
          sketch->simulation.prediction.step_time_ns) {
    return;
  }
  input.residencies = std::move(early.residencies);
}

}  // namespace stowage::policies
