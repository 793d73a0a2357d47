#include "policies/stow/tier_choice.h"

#include <algorithm>
#include <set>
#include <utility>

#include "policies/planning/address_layout.h"
#include "policies/planning/lane_schedule.h"
#include "policies/stow/occupancy.h"

namespace stowage {
namespace {

// Share of a tier's capacity that is planned for; addresses leave gaps.
constexpr double kFill = 0.97;

// Tensors that are compared to relieve one boundary of a full tier.
constexpr int kMaxCandidates = 48;

// A tensor that is in a slower tier for some of the step.
struct Resident {
  TensorIndex tensor = 0;
  int64_t bytes = 0;
  // The place is held between these boundaries, unrolled.
  KernelIndex begin = 0;
  KernelIndex end = 0;
  std::vector<const Absence*> absences;
  TierIndex tier = 1;
};

class TierChooser {
 public:
  TierChooser(const CostModel& costs, std::vector<Resident> residents)
      : costs_(costs),
        step_(costs.graph().kernel_count() + 1),
        residents_(std::move(residents)) {}

  std::vector<Resident> Choose() {
    const auto& tiers = costs_.system().tiers;
    for (TierIndex tier = 1; tier + 1 < costs_.system().tier_count(); ++tier) {
      if (tiers[tier].capacity_bytes > 0) Spill(tier);
    }
    return std::move(residents_);
  }

 private:
  // Sends what does not fit into `tier` on to the next.
  void Spill(TierIndex tier) {
    Occupancy excess(step_);
    const auto capacity = static_cast<int64_t>(
        kFill * costs_.system().tiers[tier].capacity_bytes);
    excess.Add(0, step_, -capacity);
    std::vector<std::vector<int>> begins(step_);
    std::set<std::pair<KernelIndex, int>> open;
    for (size_t r = 0; r < residents_.size(); ++r) {
      const Resident& resident = residents_[r];
      if (resident.tier != tier) continue;
      excess.Add(resident.begin, resident.end, resident.bytes);
      begins[resident.begin % step_].push_back(r);
      if (resident.end > step_) open.insert({resident.end - step_, r});
    }
    LaneSchedule out, in;
    for (KernelIndex b = 0; b < step_; ++b) {
      for (const int r : begins[b]) {
        if (residents_[r].tier == tier) open.insert({residents_[r].end, r});
      }
      while (!open.empty() && open.begin()->first <= b) {
        open.erase(open.begin());
      }
      while (excess.At(b) > 0 && !open.empty()) {
        const auto best = LeastCrowded(open, tier + 1, out, in);
        Resident& resident = residents_[best.second];
        excess.Add(resident.begin, resident.end, -resident.bytes);
        resident.tier = tier + 1;
        Crowding(resident, tier + 1, out, in, /*reserve=*/true);
        open.erase(best);
      }
    }
  }

  std::pair<KernelIndex, int> LeastCrowded(
      const std::set<std::pair<KernelIndex, int>>& open, TierIndex tier,
      LaneSchedule& out, LaneSchedule& in) const {
    std::pair<KernelIndex, int> best = *open.rbegin();
    double best_crowding = -1;
    int looked_at = 0;
    const size_t stride = std::max<size_t>(1, open.size() / kMaxCandidates);
    size_t n = 0;
    for (auto at = open.rbegin(); at != open.rend(); ++at) {
      if (n++ % stride != 0) continue;
      if (++looked_at > kMaxCandidates) break;
      const double crowding =
          Crowding(residents_[at->second], tier, out, in, false);
      if (best_crowding >= 0 && crowding >= best_crowding) continue;
      best_crowding = crowding;
      best = *at;
    }
    return best;
  }

  // How long the copies of a tensor would have to wait for their lanes, as a
  // share of the time it is absent.
  double Crowding(const Resident& resident, TierIndex tier, LaneSchedule& out,
                  LaneSchedule& in, bool reserve) const {
    const std::vector<int64_t>& time_ns = costs_.fast_boundary_ns();
    const int64_t out_ns = costs_.OutNs(resident.tensor, tier);
    const int64_t in_ns = costs_.InNs(resident.tensor, tier);
    double crowding = 0;
    for (const Absence* absence : resident.absences) {
      const Gap& gap = absence->gap;
      const int64_t from_ns = UnrolledNs(gap.from), to_ns = UnrolledNs(gap.to);
      int64_t waited_ns = 0;
      if (gap.moves_out) {
        const int64_t ready_ns = from_ns % std::max<int64_t>(1, time_ns.back());
        const int64_t start_ns = out.EarliestStart(ready_ns, out_ns);
        waited_ns += start_ns + out_ns - ready_ns;
        if (reserve) out.Reserve(start_ns, out_ns);
      }
      if (gap.moves_in) {
        const int64_t due_ns =
            to_ns > time_ns.back() ? to_ns - time_ns.back() : to_ns;
        const int64_t start_ns = in.LatestStart(due_ns, in_ns);
        waited_ns += due_ns - start_ns;
        if (reserve) in.Reserve(start_ns, in_ns);
      }
      crowding += static_cast<double>(waited_ns) /
                  static_cast<double>(std::max<int64_t>(1, to_ns - from_ns));
    }
    return crowding;
  }

  int64_t UnrolledNs(KernelIndex boundary) const {
    const std::vector<int64_t>& time_ns = costs_.fast_boundary_ns();
    if (boundary < step_) return time_ns[boundary];
    return time_ns.back() +
           time_ns[std::min<KernelIndex>(boundary - step_, step_ - 1)];
  }

  const CostModel& costs_;
  const KernelIndex step_;
  std::vector<Resident> residents_;
};

bool Usable(const CostModel& costs, const Resident& resident, TierIndex tier) {
  const Tier& slow = costs.system().tiers[tier];
  for (const Absence* absence : resident.absences) {
    const Gap& gap = absence->gap;
    const bool used = gap.mandatory() || (!gap.moves_out && !gap.moves_in);
    if (used && !slow.addressable && !slow.streamable) return false;
  }
  return true;
}

// The place a tensor holds in its slower tier, as BuildPlan holds it.
void SetSpan(const CostModel& costs, Resident& resident) {
  const Tensor& tensor = costs.graph().tensors[resident.tensor];
  const KernelIndex step = costs.graph().kernel_count() + 1;
  if (tensor.persistent) {
    resident.begin = 0;
    resident.end = step;
  } else if (tensor.wraps()) {
    resident.begin = tensor.birth_kernel;
    resident.end = tensor.death_kernel + 1 + step;
  } else {
    resident.begin = resident.absences.front()->gap.from;
    resident.end = resident.absences.front()->gap.to;
    for (const Absence* absence : resident.absences) {
      resident.begin = std::min(resident.begin, absence->gap.from);
      resident.end = std::max(resident.end, absence->gap.to);
    }
  }
}

std::vector<Resident> FindResidents(const CostModel& costs,
                                    const AbsenceChoices& choices,
                                    const std::vector<int>& chosen) {
  std::vector<Resident> residents;
  for (const int a : chosen) {
    const Absence& absence = choices.absences[a];
    const TensorIndex t = absence.gap.tensor;
    if (residents.empty() || residents.back().tensor != t) {
      residents.push_back({.tensor = t, .bytes = absence.size_bytes});
    }
    residents.back().absences.push_back(&absence);
  }
  for (Resident& resident : residents) {
    SetSpan(costs, resident);
    const TierIndex last = costs.system().tier_count() - 1;
    while (resident.tier < last && !Usable(costs, resident, resident.tier)) {
      ++resident.tier;
    }
  }
  return residents;
}

}  // namespace

std::vector<PlacedAbsence> ChooseTiers(const CostModel& costs,
                                       const AbsenceChoices& choices,
                                       const std::vector<int>& chosen) {
  const std::vector<Resident> residents =
      TierChooser(costs, FindResidents(costs, choices, chosen)).Choose();
  std::vector<TierIndex> tier(costs.graph().tensors.size(), 1);
  for (const Resident& resident : residents) {
    tier[resident.tensor] = resident.tier;
  }
  std::vector<PlacedAbsence> placed;
  for (const int a : chosen) {
    PlacedAbsence one{.absence = choices.absences[a],
                      .tier = tier[choices.absences[a].gap.tensor],
                      .required = choices.required[a]};
    const Gap& gap = one.absence.gap;
    if (gap.moves_out) one.absence.out_ns = costs.OutNs(gap.tensor, one.tier);
    if (gap.moves_in) one.absence.in_ns = costs.InNs(gap.tensor, one.tier);
    placed.push_back(one);
  }
  return placed;
}

}  // namespace stowage
