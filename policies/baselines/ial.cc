#include "policies/baselines/ial.h"

#include <algorithm>
#include <cstdint>
#include <list>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "policies/swap/swap_step.h"
#include "policies/swap/swap_system.h"

namespace stowage::policies {
namespace {

// The number of scans of the lists in a step, at equal distances of ideal time.
constexpr int64_t kScansPerStep = 32;

// Keeps Linux's page lists for tensors. A tensor that is used a second time
// becomes active, until it has not been used for an interval. Both lists are
// first in, first out; uses do not reorder them.
class PageLists {
 public:
  explicit PageLists(size_t tensors)
      : used_in_(tensors, kNever), active_(tensors, false) {}

  void Add(TensorIndex t) { order_.push_back(t); }

  void Use(TensorIndex t) {
    if (UsedLately(t) && !active_[t]) {
      active_[t] = true;
      order_.remove(t);
      order_.push_back(t);
    }
    used_in_[t] = interval_;
  }

  void Remove(TensorIndex t) {
    order_.remove(t);
    used_in_[t] = kNever;
    active_[t] = false;
  }

  // Returns both lists in one, each from the first in on.
  const std::list<TensorIndex>& order() const { return order_; }
  bool active(TensorIndex t) const { return active_[t] != 0; }
  // Returns whether the tensor was used in this interval or the one before.
  bool UsedLately(TensorIndex t) const { return used_in_[t] >= interval_ - 1; }

  void EndInterval() {
    ++interval_;
    for (TensorIndex t : order_) {
      if (!UsedLately(t)) active_[t] = false;
    }
  }

 private:
  static constexpr int kNever = -2;

  std::list<TensorIndex> order_;
  int interval_ = 0;
  std::vector<int> used_in_;  // by tensor: the interval of the last use
  std::vector<char> active_;  // by tensor
};

class IalStep {
 public:
  IalStep(const StepFacts& facts, int64_t budget_bytes,
          const std::set<TensorIndex>& at_start)
      : facts_(facts),
        budget_bytes_(budget_bytes),
        step_(facts, at_start, {}),
        lists_(facts.graph.tensors.size()) {
    for (TensorIndex t = 0; t < facts.graph.tensor_count(); ++t) {
      const Tensor& tensor = facts.graph.tensors[t];
      if (tensor.movable() && tensor.alive_at_start()) lists_.Add(t);
    }
  }

  void Run() {
    for (KernelIndex k = 0; k < facts_.kernel_count(); ++k) {
      if (facts_.IsCancelled()) return;
      for (TensorIndex t : facts_.deaths[k]) lists_.Remove(t);
      step_.Reach(k);
      for (TensorIndex t : facts_.workload.left_slow[k]) Expel(t);
      Allocate(k);
      if (facts_.boundary_ns[k] >= next_scan_ns_) Scan(k);
      Use(k);
      step_.RunKernelInPlace();
    }
    step_.Reach(facts_.kernel_count());
  }

  std::set<TensorIndex> AtEnd() const { return step_.AtEnd(); }

  SwapRun Finish(const std::set<TensorIndex>& keep) {
    PlacementDecision decision = step_.Finish(keep);
    return {.decision = std::move(decision), .step_ns = step_.now_ns()};
  }

 private:
  void Expel(TensorIndex t) {
    const bool born = !facts_.IsOld(t, step_.boundary());
    step_.Expel(t);
    if (born) lists_.Add(t);
  }

  // Returns the room that pinned tensors and workspaces leave to the others.
  int64_t FreeBytes(KernelIndex k) const {
    int64_t fixed_bytes = facts_.workload.need_bytes[k];
    for (TensorIndex t : facts_.workload.staged[k]) {
      if (facts_.graph.tensors[t].movable()) fixed_bytes -= facts_.bytes[t];
    }
    return budget_bytes_ - fixed_bytes - step_.held_bytes();
  }

  // Gives new pages room in the fast tier while it has some, else in the slower
  // one.
  void Allocate(KernelIndex k) {
    while (FreeBytes(k) < 0) {
      const std::optional<TensorIndex> victim = FirstIn(/*idle=*/false);
      if (!victim.has_value()) break;
      step_.Expel(*victim);
    }
    for (TensorIndex t : facts_.workload.staged[k]) {
      const bool movable = facts_.graph.tensors[t].movable();
      if (!movable || facts_.IsOld(t, k)) continue;
      if (FreeBytes(k) >= facts_.bytes[t]) {
        step_.Provide(t);
      } else {
        step_.Expel(t);
      }
      lists_.Add(t);
    }
  }

  // Exchanges the active tensors of the slower tier for inactive ones of the
  // fast tier, while kernels run.
  void Scan(KernelIndex k) {
    next_scan_ns_ += facts_.boundary_ns.back() / kScansPerStep + 1;
    std::vector<TensorIndex> hot;
    for (TensorIndex t : lists_.order()) {
      const bool slow = step_.state(t) == SwapStep::State::kSlow;
      const bool lives = facts_.LastBoundary(t, k) > k;
      if (slow && lives && lists_.active(t)) hot.push_back(t);
    }
    for (TensorIndex t : hot) Promote(t, k);
    lists_.EndInterval();
  }

  void Promote(TensorIndex t, KernelIndex k) {
    std::vector<TensorIndex> victims;
    int64_t free_bytes = FreeBytes(k);
    for (TensorIndex victim : lists_.order()) {
      if (free_bytes >= facts_.bytes[t]) break;
      if (!IsVictim(victim, /*idle=*/true)) continue;
      victims.push_back(victim);
      free_bytes += facts_.bytes[victim];
    }
    if (free_bytes < facts_.bytes[t]) return;
    // Pages are exchanged: a page that comes waits for those that make room.
    for (TensorIndex victim : victims) step_.Expel(victim);
    step_.BeginIn(t);
  }

  // Returns whether the tensor may make room. With `idle`, it has to be neither
  // active nor used lately; without, any tensor may, also one on its way in.
  bool IsVictim(TensorIndex t, bool idle) const {
    const SwapStep::State state = step_.state(t);
    const bool held = state == SwapStep::State::kFast ||
                      (!idle && state == SwapStep::State::kComing);
    const bool hot = lists_.active(t) || lists_.UsedLately(t);
    return held && !(idle && hot) && facts_.IsOld(t, step_.boundary());
  }

  std::optional<TensorIndex> FirstIn(bool idle) const {
    for (TensorIndex t : lists_.order()) {
      if (IsVictim(t, idle)) return t;
    }
    return std::nullopt;
  }

  // Waits for operands that are being moved.
  void Use(KernelIndex k) {
    for (const Operand& operand : facts_.graph.kernels[k].operands) {
      if (!facts_.graph.tensors[operand.tensor].movable()) continue;
      step_.Await(operand.tensor);
      lists_.Use(operand.tensor);
    }
  }

  const StepFacts& facts_;
  const int64_t budget_bytes_;
  SwapStep step_;
  PageLists lists_;
  int64_t next_scan_ns_ = 0;
};

SwapRun RunInPlace(const StepFacts& facts, int64_t budget_bytes) {
  const std::set<TensorIndex> start =
      SteadyStart([&](const std::set<TensorIndex>& at_start) {
        IalStep step(facts, budget_bytes, at_start);
        step.Run();
        return facts.IsCancelled() ? std::set<TensorIndex>() : step.AtEnd();
      });
  if (facts.IsCancelled()) return {};
  IalStep step(facts, budget_bytes, start);
  step.Run();
  if (facts.IsCancelled()) return {};
  return step.Finish(start);
}

SwapRun DecideIal(const StepFacts& facts, int64_t budget_bytes) {
  if (HasAddressableSlowTier(facts.system)) {
    return RunInPlace(facts, budget_bytes);
  }
  SwapRun run =
      RunSwapSystem(facts, {.victims = VictimOrder::kFirstIn}, budget_bytes);
  run.notes.push_back(
      "Kernels cannot use the slower tiers in place, so a kernel's tensors "
      "are fetched for it, and the first in goes first.");
  return run;
}

}  // namespace

std::string_view IalPolicy::name() const { return "ial"; }

std::string_view IalPolicy::description() const {
  return "improved active list: exchange active slow tensors for inactive fast "
         "ones, first in first out (Nimble, Yan et al., ASPLOS 2019)";
}

absl::StatusOr<Plan> IalPolicy::MakePlan(const Graph& graph,
                                         const MemorySystem& system,
                                         const PlanOptions& options) const {
  return PlanBySwapping(graph, system, options, name(), DecideIal);
}

}  // namespace stowage::policies
