#include "policies/search/absences/tier_choice.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/btree_set.h"
#include "policies/layout/address_layout.h"
#include "policies/search/absences/occupancy.h"
#include "policies/simulate/lane_schedule.h"

namespace stowage::policies {
namespace {

// The share of a tier's capacity that is planned for; addresses leave holes.
constexpr double kFill = 0.97;

// The number of tensors that are compared to relieve one boundary of a full
// tier.
constexpr int kMaxCandidates = 64;

// Tensors smaller than this part of the excess are left where they are.
constexpr int64_t kSmallShare = 50;

// The share of a step by which a copy in may be early without being held
// against it.
constexpr double kEarly = 0.03;

struct ChosenAbsence {
  const Absence* absence = nullptr;
  KernelIndex needed_at = 0;  // needs its room, unrolled
};

// Describes a tensor that is in a slower tier for some of the step.
struct Resident {
  TensorIndex tensor = 0;
  int64_t bytes = 0;
  // The boundaries between which the place is held, unrolled.
  KernelIndex begin = 0;
  KernelIndex end = 0;
  std::vector<ChosenAbsence> absences;
  TierIndex tier = 1;
};

class TierChooser {
 public:
  TierChooser(const CostModel& costs, std::vector<Resident> residents)
      : costs_(costs),
        step_(costs.graph().kernel_count() + 1),
        residents_(std::move(residents)) {}

  std::vector<Resident> Choose(TierRule rule) {
    const auto& tiers = costs_.system().tiers;
    if (rule == TierRule::kLast) SendToLast();
    for (TierIndex tier = 1; tier + 1 < costs_.system().tier_count(); ++tier) {
      if (tiers[tier].capacity_bytes > 0) Spill(tier);
    }
    return std::move(residents_);
  }

 private:
  // Residents by the end of their residency.
  using OpenSet = absl::btree_set<std::pair<KernelIndex, int>>;

  void SendToLast() {
    const TierIndex last = costs_.system().tier_count() - 1;
    std::vector<Resident*> longest_first;
    for (Resident& resident : residents_) {
      const bool moves =
          std::any_of(resident.absences.begin(), resident.absences.end(),
                      [](const ChosenAbsence& one) {
                        return one.absence->period.moves_in;
                      });
      if (moves && resident.tier < last) longest_first.push_back(&resident);
    }
    std::stable_sort(longest_first.begin(), longest_first.end(),
                     [&](const Resident* a, const Resident* b) {
                       return ShortestNs(*a) > ShortestNs(*b);
                     });
    LaneSchedule out, in;
    for (Resident* resident : longest_first) {
      if (Crowding(*resident, last, out, in, /*reserve=*/false) > 0) continue;
      Crowding(*resident, last, out, in, /*reserve=*/true);
      resident->tier = last;
    }
  }

  // Returns the duration of the resident's shortest absence.
  int64_t ShortestNs(const Resident& resident) const {
    int64_t shortest_ns = std::numeric_limits<int64_t>::max();
    for (const ChosenAbsence& one : resident.absences) {
      const InactivePeriod& period = one.absence->period;
      shortest_ns = std::min(shortest_ns,
                             UnrolledNs(period.to) - UnrolledNs(period.from));
    }
    return shortest_ns;
  }

  // Sends residents that do not fit into `tier` on to the next.
  void Spill(TierIndex tier) {
    const auto capacity = static_cast<int64_t>(
        kFill * costs_.system().tiers[tier].capacity_bytes);
    Occupancy excess(std::vector<int64_t>(step_, -capacity));
    std::vector<std::vector<int>> begins(step_);
    OpenSet open;
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
        const auto best =
            LeastCrowded(open, excess.At(b) / kSmallShare, tier + 1, out, in);
        Resident& resident = residents_[best.second];
        excess.Add(resident.begin, resident.end, -resident.bytes);
        resident.tier = tier + 1;
        Crowding(resident, tier + 1, out, in, /*reserve=*/true);
        open.erase(best);
      }
    }
  }

  std::pair<KernelIndex, int> LeastCrowded(const OpenSet& open,
                                           int64_t least_bytes, TierIndex tier,
                                           LaneSchedule& out,
                                           LaneSchedule& in) const {
    std::pair<KernelIndex, int> best = *open.rbegin();
    double best_crowding = -1;
    size_t considered = 0;
    for (const auto& one : open) {
      considered += residents_[one.second].bytes >= least_bytes;
    }
    const size_t stride = considered / kMaxCandidates + 1;
    size_t n = 0;
    for (auto at = open.begin(); at != open.end(); ++at) {
      const Resident& resident = residents_[at->second];
      if (resident.bytes < least_bytes || n++ % stride != 0) continue;
      const double crowding = Crowding(resident, tier, out, in, false);
      if (best_crowding >= 0 && crowding >= best_crowding) continue;
      best_crowding = crowding;
      best = *at;
    }
    return best;
  }

  // Returns how long, by the byte, the copies of a tensor would have to wait
  // for their lanes. The copy out may wait until the room is needed.
  double Crowding(const Resident& resident, TierIndex tier, LaneSchedule& out,
                  LaneSchedule& in, bool reserve) const {
    const int64_t step_ns = costs_.fast_boundary_ns().back();
    const int64_t out_ns = costs_.OutNs(resident.tensor, tier);
    const int64_t in_ns = costs_.InNs(resident.tensor, tier);
    double waited_ns = 0;
    for (const ChosenAbsence& one : resident.absences) {
      const InactivePeriod& period = one.absence->period;
      if (period.moves_out) {
        const int64_t ready_ns = UnrolledNs(period.from) % (step_ns + 1);
        const int64_t start_ns = out.EarliestStart(ready_ns, out_ns);
        const int64_t late_ns =
            start_ns - ready_ns + out_ns -
            (UnrolledNs(one.needed_at) - UnrolledNs(period.from));
        waited_ns += std::max<int64_t>(0, late_ns);
        if (reserve) out.Reserve(start_ns, out_ns);
      }
      if (period.moves_in) {
        int64_t due_ns = UnrolledNs(period.to);
        if (due_ns > step_ns) due_ns -= step_ns;
        const int64_t start_ns = in.LatestStart(due_ns, in_ns);
        const double early_ns = kEarly * static_cast<double>(step_ns);
        waited_ns += std::max<double>(0, due_ns - start_ns - in_ns - early_ns);
        if (reserve) in.Reserve(start_ns, in_ns);
      }
    }
    return waited_ns / static_cast<double>(resident.bytes);
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
  for (const ChosenAbsence& one : resident.absences) {
    const InactivePeriod& period = one.absence->period;
    const bool used =
        period.mandatory() || (!period.moves_out && !period.moves_in);
    if (used && !slow.addressable && !slow.streamable) return false;
  }
  return true;
}

// Sets the time for which a tensor holds its place, as BuildPlan does.
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
    resident.begin = resident.absences.front().absence->period.from;
    resident.end = resident.absences.front().absence->period.to;
    for (const ChosenAbsence& one : resident.absences) {
      resident.begin = std::min(resident.begin, one.absence->period.from);
      resident.end = std::max(resident.end, one.absence->period.to);
    }
  }
}

std::vector<Resident> FindResidents(const CostModel& costs,
                                    const AbsenceChoices& choices,
                                    const std::vector<Choice>& chosen) {
  std::vector<Resident> residents;
  for (const Choice& choice : chosen) {
    const Absence& absence = choices.absences[choice.absence];
    const TensorIndex t = absence.period.tensor;
    if (residents.empty() || residents.back().tensor != t) {
      residents.push_back({.tensor = t, .bytes = absence.size_bytes});
    }
    residents.back().absences.push_back({&absence, choice.needed_at});
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
                                       const std::vector<Choice>& chosen,
                                       TierRule rule) {
  const std::vector<Resident> residents =
      TierChooser(costs, FindResidents(costs, choices, chosen)).Choose(rule);
  std::vector<TierIndex> tier(costs.graph().tensors.size(), 1);
  for (const Resident& resident : residents) {
    tier[resident.tensor] = resident.tier;
  }
  std::vector<PlacedAbsence> placed;
  for (const Choice& choice : chosen) {
    PlacedAbsence one{.absence = choices.absences[choice.absence],
                      .required = choices.required[choice.absence]};
    one.tier = tier[one.absence.period.tensor];
    const InactivePeriod& period = one.absence.period;
    if (period.moves_out) {
      one.absence.out_ns = costs.OutNs(period.tensor, one.tier);
    }
    if (period.moves_in) {
      one.absence.in_ns = costs.InNs(period.tensor, one.tier);
    }
    placed.push_back(one);
  }
  return placed;
}

}  // namespace stowage::policies
