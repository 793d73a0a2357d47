#include "server/placement/online_decisions.h"

#include <algorithm>
#include <limits>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "policies/heat/position.h"
#include "policies/model/liveness.h"

namespace stowage {
namespace {

constexpr policies::TierIndex kSlowTier = 1;
// The preference of a tensor that may not be in slow memory.
constexpr float kAboveAll = std::numeric_limits<float>::max();

// Follows the tiers of living tensors while a window is decided.
class ResidentTensors {
 public:
  // Begins before `kernel`, with each tensor where `residents` say, or else in
  // its `planned_tier`.
  ResidentTensors(const policies::Graph& graph, policies::KernelIndex kernel,
                  const std::vector<v1::Resident>& residents,
                  absl::FunctionRef<policies::TierIndex(policies::TensorIndex)>
                      planned_tier)
      : graph_(graph), tier_(graph.tensors.size(), kNowhere) {
    for (policies::TensorIndex t = 0; t < graph.tensor_count(); ++t) {
      const policies::Tensor& tensor = graph.tensors[t];
      if (policies::AliveAt(tensor, kernel) && tensor.birth_kernel != kernel) {
        Place(t, planned_tier(t));
      }
    }
    for (const v1::Resident& resident : residents) {
      Place(resident.tensor(), resident.tier());
    }
  }

  void Place(policies::TensorIndex tensor, policies::TierIndex tier) {
    tier_[tensor] = tier;
  }

  // Returns whether the tensor is in the fast tier. One that is about to be
  // born is nowhere yet.
  bool IsFast(policies::TensorIndex tensor) const {
    return tier_[tensor] == policies::kFastTier;
  }
  bool IsBorn(policies::TensorIndex tensor) const {
    return tier_[tensor] != kNowhere;
  }

  int64_t FastBytes() const {
    int64_t bytes = 0;
    for (policies::TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      if (IsFast(t)) bytes += graph_.tensors[t].size_bytes;
    }
    return bytes;
  }

  // Returns the tensors that are alive at the kernel, by tensor.
  std::vector<policies::LivingTensor> LivingAt(
      policies::KernelIndex kernel) const {
    std::vector<policies::LivingTensor> living;
    for (policies::TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      if (!policies::AliveAt(graph_.tensors[t], kernel)) continue;
      living.push_back({t, !IsBorn(t)  ? policies::Position::kNone
                           : IsFast(t) ? policies::Position::kFast
                                       : policies::Position::kSlow});
    }
    return living;
  }

  // Removes the tensors that die with the kernel. Returns how many of their
  // bytes were in the fast tier.
  int64_t Bury(policies::KernelIndex kernel) {
    int64_t freed_bytes = 0;
    for (policies::TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      const policies::Tensor& tensor = graph_.tensors[t];
      if (tensor.persistent || tensor.death_kernel != kernel) continue;
      if (IsFast(t)) freed_bytes += tensor.size_bytes;
      tier_[t] = kNowhere;
    }
    return freed_bytes;
  }

 private:
  static constexpr policies::TierIndex kNowhere = -1;

  const policies::Graph& graph_;
  std::vector<policies::TierIndex> tier_;
};

// Carries out the actions of one kernel: first those that leave, then those
// that the policy wants most. Adds each tensor that goes elsewhere to
// `decision`.
void CarryOut(const policies::Graph& graph,
              std::vector<policies::PlacementAction> actions,
              ResidentTensors* resident_tensors, int64_t* fast_left_bytes,
              v1::KernelDecision* decision) {
  std::stable_sort(actions.begin(), actions.end(),
                   [](const policies::PlacementAction& a,
                      const policies::PlacementAction& b) {
                     if (a.fast != b.fast) return b.fast;
                     return a.preference > b.preference;
                   });
  for (const policies::PlacementAction& action : actions) {
    const int64_t size_bytes = graph.tensors[action.tensor].size_bytes;
    const bool was_fast = resident_tensors->IsFast(action.tensor);
    const bool fast =
        action.fast && (was_fast || *fast_left_bytes >= size_bytes);
    const bool stays =
        resident_tensors->IsBorn(action.tensor) && fast == was_fast;
    if (stays) continue;
    if (fast) *fast_left_bytes -= size_bytes;
    if (was_fast) *fast_left_bytes += size_bytes;
    const policies::TierIndex tier = fast ? policies::kFastTier : kSlowTier;
    resident_tensors->Place(action.tensor, tier);
    v1::TierAction* told = decision->add_actions();
    told->set_tensor(action.tensor);
    told->set_tier(tier);
    told->set_preference(action.preference);
  }
}

// Adds decisions on tensors that are born, on which the policy does not decide:
// they go to the fast tier if it has room or they may not be elsewhere.
void AddUndecided(const policies::Graph& graph,
                  const std::vector<policies::LivingTensor>& living,
                  std::vector<policies::PlacementAction>* actions) {
  std::vector<policies::TensorIndex> decided;
  for (const policies::PlacementAction& action : *actions) {
    decided.push_back(action.tensor);
  }
  for (const policies::LivingTensor& one : living) {
    if (one.position != policies::Position::kNone ||
        std::binary_search(decided.begin(), decided.end(), one.tensor)) {
      continue;
    }
    actions->push_back(
        {.tensor = one.tensor,
         .fast = true,
         .preference = graph.tensors[one.tensor].movable() ? 0 : kAboveAll});
  }
}

}  // namespace

OnlineDecisions::OnlineDecisions(const policies::Graph& graph,
                                 policies::TierIndex tier_count,
                                 int64_t fast_limit_bytes,
                                 policies::DqnDecider decider)
    : graph_(graph),
      tier_count_(tier_count),
      fast_limit_bytes_(fast_limit_bytes),
      decider_(std::move(decider)),
      arrivals_(graph.tensors.size()) {}

absl::StatusOr<OnlineDecisions> OnlineDecisions::Create(
    const policies::Graph& graph, const policies::MemorySystem& system,
    const v1::Plan& plan, const policies::DqnPolicy& policy) {
  absl::StatusOr<policies::DqnDecider> decider =
      policies::DqnDecider::Make(policy, graph, system);
  if (!decider.ok()) return decider.status();
  OnlineDecisions online(graph,
                         static_cast<policies::TierIndex>(system.tiers.size()),
                         plan.fast_limit_bytes(), *std::move(decider));
  online.FollowPlan(plan);
  return online;
}

// Notes where the plan has each tensor. Tensors and tiers exist, because the
// plan was verified before it was stored.
void OnlineDecisions::FollowPlan(const v1::Plan& plan) {
  for (const v1::Allocation& initial : plan.initial()) {
    arrivals_[initial.tensor()].push_back({0, 0, initial.at().tier()});
  }
  for (const v1::Allocation& allocation : plan.allocations()) {
    const policies::KernelIndex birth =
        graph_.tensors[allocation.tensor()].birth_kernel;
    arrivals_[allocation.tensor()].push_back(
        {birth, birth, allocation.at().tier()});
  }
  for (const v1::Move& move : plan.moves()) {
    arrivals_[move.tensor()].push_back(
        {move.deadline_kernel(), move.start_kernel(), move.to().tier()});
  }
  for (std::vector<Arrival>& arrivals : arrivals_) {
    std::stable_sort(
        arrivals.begin(), arrivals.end(),
        [](const Arrival& a, const Arrival& b) { return a.from < b.from; });
  }
}

policies::TierIndex OnlineDecisions::PlannedTier(
    policies::TensorIndex tensor, policies::KernelIndex kernel) const {
  policies::TierIndex tier = policies::kFastTier;
  for (const Arrival& arrival : arrivals_[tensor]) {
    if (arrival.from <= kernel) tier = arrival.tier;
  }
  return tier;
}

bool OnlineDecisions::IsPlanned(policies::TensorIndex tensor,
                                policies::KernelIndex kernel,
                                policies::TierIndex tier) const {
  if (tier == PlannedTier(tensor, kernel)) return true;
  return std::any_of(arrivals_[tensor].begin(), arrivals_[tensor].end(),
                     [&](const Arrival& arrival) {
                       return arrival.tier == tier &&
                              arrival.move_start <= kernel &&
                              kernel < arrival.from;
                     });
}

absl::Status OnlineDecisions::Check(const JobSituation& situation) const {
  return CheckSituation(situation, graph_.kernel_count(), graph_.tensors,
                        tier_count_);
}

absl::StatusOr<bool> OnlineDecisions::Deviates(
    const JobSituation& situation) const {
  if (absl::Status valid = Check(situation); !valid.ok()) return valid;
  return std::any_of(situation.residents.begin(), situation.residents.end(),
                     [&](const v1::Resident& resident) {
                       return !IsPlanned(resident.tensor(), situation.kernel,
                                         resident.tier());
                     });
}

absl::StatusOr<std::vector<v1::KernelDecision>> OnlineDecisions::Window(
    const JobSituation& situation, int32_t window) const {
  if (absl::Status valid = Check(situation); !valid.ok()) return valid;
  const policies::KernelIndex first = situation.kernel;
  ResidentTensors resident_tensors(
      graph_, first, situation.residents,
      [&](policies::TensorIndex t) { return PlannedTier(t, first); });
  int64_t fast_left_bytes =
      situation.free_bytes.empty()
          ? fast_limit_bytes_ - resident_tensors.FastBytes()
          : situation.free_bytes[0];
  const int64_t slow_left_bytes =
      situation.free_bytes.size() > 1 ? situation.free_bytes[1] : 0;

  std::vector<v1::KernelDecision> decisions;
  const policies::KernelIndex end =
      std::min(first + window, graph_.kernel_count());
  for (policies::KernelIndex k = first; k < end; ++k) {
    std::vector<policies::LivingTensor> living = resident_tensors.LivingAt(k);
    absl::StatusOr<std::vector<policies::PlacementAction>> actions =
        decider_.Decide(
            {.kernel = k,
             .living = living,
             .fast_left_bytes = std::max<int64_t>(0, fast_left_bytes),
             .slow_left_bytes = slow_left_bytes});
    if (!actions.ok()) return actions.status();
    AddUndecided(graph_, living, &*actions);
    v1::KernelDecision decision;
    decision.set_kernel(k);
    CarryOut(graph_, *std::move(actions), &resident_tensors, &fast_left_bytes,
             &decision);
    if (!decision.actions().empty()) decisions.push_back(std::move(decision));
    fast_left_bytes += resident_tensors.Bury(k);
  }
  return decisions;
}

}  // namespace stowage
