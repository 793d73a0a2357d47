#include "policies/swap/swap_system.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "policies/swap/swap_step.h"

namespace stowage::policies {
namespace {

class SwapSystem {
 public:
  SwapSystem(const StepFacts& facts, const SwapRules& rules,
             int64_t budget_bytes, const std::set<TensorIndex>& at_start)
      : facts_(facts),
        rules_(rules),
        budget_bytes_(budget_bytes),
        step_(facts, at_start, rules.first_slow_tier) {
    for (const auto* triggers : {&rules.outs, &rules.ins}) {
      for (const SwapTrigger& trigger : *triggers) {
        if (trigger.wait_by >= 0) {
          waits_.insert({trigger.wait_by, trigger.tensor});
        }
      }
    }
  }

  void Run() {
    for (KernelIndex k = 0; k <= facts_.kernel_count(); ++k) {
      if (facts_.IsCancelled()) return;
      step_.Reach(k);
      AwaitTriggered(k);
      if (k == facts_.kernel_count()) break;
      for (TensorIndex t : facts_.workload.left_slow[k]) step_.Expel(t);
      StartOuts(k);
      StageKernel(k);
      if (rules_.ahead_kernels > 0) MakeRoomAhead(k);
      StartIns(k);
      step_.RunKernel();
    }
  }

  std::set<TensorIndex> AtEnd() const { return step_.AtEnd(); }

  SwapRun Finish(const std::set<TensorIndex>& keep) {
    PlacementDecision decision = step_.Finish(keep);
    return {std::move(decision), step_.now_ns(), demand_bytes_, evicted_bytes_};
  }

 private:
  const std::vector<TensorIndex>& Staged(KernelIndex k) const {
    return facts_.workload.staged[k];
  }

  bool IsStaged(TensorIndex t, KernelIndex k) const {
    return std::binary_search(Staged(k).begin(), Staged(k).end(), t);
  }

  void AwaitTriggered(KernelIndex k) {
    auto wait = waits_.lower_bound({k, 0});
    for (; wait != waits_.end() && wait->first == k; ++wait) {
      step_.Await(wait->second);
    }
  }

  void StartOuts(KernelIndex k) {
    for (;
         next_out_ < rules_.outs.size() && rules_.outs[next_out_].boundary <= k;
         ++next_out_) {
      const TensorIndex t = rules_.outs[next_out_].tensor;
      if (step_.state(t) == SwapStep::State::kFast) step_.BeginOut(t);
    }
  }

  void StageKernel(KernelIndex k) {
    // A tensor on its way out can be read until it has left, but not written.
    for (const Operand& operand : facts_.graph.kernels[k].operands) {
      if (operand.write &&
          step_.state(operand.tensor) == SwapStep::State::kGoing) {
        step_.Await(operand.tensor);
      }
    }
    MakeRoom(k);
    for (TensorIndex t : Staged(k)) {
      const int64_t before_bytes = step_.held_bytes();
      const bool absent =
          facts_.IsOld(t, k) && step_.state(t) == SwapStep::State::kSlow;
      step_.Provide(t);
      if (absent) demand_bytes_ += step_.held_bytes() - before_bytes;
    }
  }

  // Returns the room at kernel k that is taken by its own tensors or by tensors
  // that it does not use.
  int64_t UsedBytes(KernelIndex k) const {
    int64_t bytes = facts_.workload.need_bytes[k] + step_.held_bytes();
    for (TensorIndex t : Staged(k)) {
      const bool held = facts_.graph.tensors[t].movable() &&
                        step_.state(t) != SwapStep::State::kSlow;
      if (held) bytes -= facts_.bytes[t];
    }
    return bytes;
  }

  // Waits for tensors on their way out, then evicts, until the kernel's tensors
  // fit beside those that stay.
  void MakeRoom(KernelIndex k) {
    const int64_t allowed_bytes =
        std::max(budget_bytes_, facts_.workload.need_bytes[k]);
    while (UsedBytes(k) > allowed_bytes) {
      if (facts_.IsCancelled()) return;
      if (AwaitGoing(k)) continue;
      std::optional<TensorIndex> victim = FindVictim(k, k);
      if (!victim.has_value()) victim = FindComing(k);
      evicted_bytes_ += facts_.bytes[*victim];
      step_.Expel(*victim);
    }
  }

  // Waits for the first copy out to end, except those of tensors that the
  // kernel reads. Returns false if there is none.
  bool AwaitGoing(KernelIndex k) {
    std::optional<TensorIndex> first;
    for (TensorIndex t : step_.going()) {
      if (IsStaged(t, k)) continue;
      if (first.has_value() && step_.copied_ns(t) >= step_.copied_ns(*first)) {
        continue;
      }
      first = t;
    }
    if (first.has_value()) step_.Await(*first);
    return first.has_value();
  }

  // Returns the fast tensor that kernels k .. last do not use and that comes
  // first in the order.
  std::optional<TensorIndex> FindVictim(KernelIndex k, KernelIndex last) const {
    std::optional<TensorIndex> victim;
    int64_t victim_rank = 0;
    for (TensorIndex t : step_.fast()) {
      const KernelIndex use = facts_.NextUse(t, k);
      if (use >= 0 && use <= last) continue;
      const int64_t rank = Rank(t, use);
      if (victim.has_value() && rank >= victim_rank) continue;
      victim = t;
      victim_rank = rank;
    }
    return victim;
  }

  std::optional<TensorIndex> FindComing(KernelIndex k) const {
    for (TensorIndex t : step_.coming()) {
      if (!IsStaged(t, k)) return t;
    }
    return std::nullopt;
  }

  // Returns the tensor's rank; the lowest goes first.
  int64_t Rank(TensorIndex t, KernelIndex next_use) const {
    switch (rules_.victims) {
      case VictimOrder::kLeastRecentlyUsed:
        return step_.last_touch(t);
      case VictimOrder::kFirstIn:
        return step_.arrival(t);
      case VictimOrder::kFarthestNextUse:
        return next_use < 0 ? std::numeric_limits<int64_t>::min() : -next_use;
    }
    return 0;
  }

  void MakeRoomAhead(KernelIndex k) {
    const KernelIndex last =
        std::min(k + rules_.ahead_kernels, facts_.kernel_count() - 1);
    while (step_.ProjectedPeakBytes(k, last + 1) > budget_bytes_) {
      const std::optional<TensorIndex> victim = FindVictim(k, last);
      if (!victim.has_value()) return;
      step_.BeginOut(*victim);
    }
  }

  void StartIns(KernelIndex k) {
    for (; next_in_ < rules_.ins.size() && rules_.ins[next_in_].boundary <= k;
         ++next_in_) {
      pending_.push_back(rules_.ins[next_in_].tensor);
    }
    SortPending(k);
    StartPending(k);
    const KernelIndex last =
        std::min(k + rules_.ahead_kernels, facts_.kernel_count() - 1);
    for (KernelIndex ahead = k + 1; ahead <= last; ++ahead) {
      for (TensorIndex t : Staged(ahead)) {
        if (!StartIn(k, t)) return;
      }
    }
  }

  // Sorts pending copies by next use.
  void SortPending(KernelIndex k) {
    needed_.clear();
    for (const TensorIndex t : pending_) needed_.push_back({NeededAt(t, k), t});
    const auto sooner = [](const auto& a, const auto& b) {
      return a.first < b.first;
    };
    if (std::is_sorted(needed_.begin(), needed_.end(), sooner)) return;
    std::stable_sort(needed_.begin(), needed_.end(), sooner);
    for (size_t i = 0; i < needed_.size(); ++i) pending_[i] = needed_[i].second;
  }

  KernelIndex NeededAt(TensorIndex t, KernelIndex k) const {
    const KernelIndex use = facts_.NextUse(t, k);
    return use >= 0 ? use : facts_.kernel_count();
  }

  // Starts pending copies in order, up to the first that has to wait for room.
  // A tensor that is still on its way out can come back only later.
  void StartPending(KernelIndex k) {
    std::vector<TensorIndex> waiting;
    bool room = true;
    for (TensorIndex t : pending_) {
      const bool going = step_.state(t) == SwapStep::State::kGoing;
      room = room && (going || StartIn(k, t));
      if (going || !room) waiting.push_back(t);
    }
    pending_ = std::move(waiting);
  }

  // Starts a copy in. Returns false if it has to wait for room; true also if
  // there is nothing to do.
  bool StartIn(KernelIndex k, TensorIndex t) {
    if (!facts_.IsOld(t, k) || step_.state(t) != SwapStep::State::kSlow) {
      return true;
    }
    const KernelIndex use = facts_.NextUse(t, k);
    const KernelIndex last = facts_.LastBoundary(t, k);
    if (use < 0 && last < facts_.kernel_count()) return true;  // no use left
    const int64_t bytes = facts_.bytes[t];
    const KernelIndex end = use < 0 ? last : use;
    if (UsedBytes(k) + bytes > budget_bytes_ ||
        step_.ProjectedPeakBytes(k, end) + bytes > budget_bytes_) {
      return false;
    }
    step_.BeginIn(t);
    return true;
  }

  const StepFacts& facts_;
  const SwapRules& rules_;
  const int64_t budget_bytes_;
  SwapStep step_;
  std::set<std::pair<KernelIndex, TensorIndex>> waits_;
  size_t next_out_ = 0;
  size_t next_in_ = 0;
  std::vector<TensorIndex> pending_;
  std::vector<std::pair<KernelIndex, TensorIndex>> needed_;  // for sorting
  int64_t demand_bytes_ = 0;
  int64_t evicted_bytes_ = 0;
};

}  // namespace

SwapRun RunSwapSystem(const StepFacts& facts, const SwapRules& rules,
                      int64_t budget_bytes) {
  std::optional<SwapSystem> system;
  const std::set<TensorIndex> start =
      SteadyStart([&](const std::set<TensorIndex>& at_start) {
        system.emplace(facts, rules, budget_bytes, at_start);
        system->Run();
        return facts.IsCancelled() ? std::set<TensorIndex>() : system->AtEnd();
      });
  if (facts.IsCancelled()) return {};
  // The last run was the one that begins with `start`.
  return system->Finish(start);
}

absl::StatusOr<Plan> PlanBySwapping(const Graph& graph,
                                    const MemorySystem& system,
                                    const PlanOptions& options,
                                    std::string_view policy,
                                    DecideSwaps decide) {
  std::vector<std::string> notes;
  absl::StatusOr<Plan> plan =
      PlanByDeciding(graph, system, options, policy,
                     [&](const Workload& workload, int64_t budget_bytes) {
                       const StepFacts facts(graph, system, workload);
                       SwapRun run = decide(facts, budget_bytes);
                       notes = std::move(run.notes);
                       return std::move(run.decision);
                     });
  if (plan.ok()) {
    plan->notes.insert(plan->notes.end(), notes.begin(), notes.end());
  }
  return plan;
}

}  // namespace stowage::policies
