#include "policies/search/prices/absence_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stowage::policies {
namespace {

// The share of a step within which loads and waits are summed up.
constexpr double kWindow = 0.04;

float& At(PriceFeatures& features, PriceFeature feature) {
  return features[static_cast<int>(feature)];
}

// Returns 0 for 0, 0.23 for 1, 1 for 20: ratios of any size become numbers of
// order one.
float Squash(double ratio) {
  return static_cast<float>(std::log1p(std::max(0.0, ratio)) / 3);
}

float Share(double part, double whole) {
  return whole > 0 ? static_cast<float>(part / whole) : 0;
}

}  // namespace

AbsenceFeatures::AbsenceFeatures(const CostModel& costs,
                                 const AbsenceChoices& choices)
    : costs_(costs),
      choices_(choices),
      step_(costs.graph().kernel_count() + 1),
      accesses_(costs.graph()),
      step_ns_(std::max<double>(1, costs.fast_boundary_ns().back())),
      arena_bytes_(std::max<double>(1, costs.workload().arena_bytes)),
      crowded_(2 * static_cast<size_t>(step_) + 1),
      excess_bytes_(2 * static_cast<size_t>(step_) + 1) {
  const std::vector<int64_t>& held = costs.all_fast_bytes();
  for (KernelIndex b = 0; b < 2 * step_; ++b) {
    const double excess = static_cast<double>(held[b % step_]) - arena_bytes_;
    crowded_[b + 1] = crowded_[b] + (excess > 0);
    excess_bytes_[b + 1] = excess_bytes_[b] + std::max(0.0, excess);
  }
  AddGraphFeatures();
  Forget();
}

void AbsenceFeatures::AddGraphFeatures() {
  const std::vector<int64_t>& held = costs_.all_fast_bytes();
  const double peak = *std::max_element(held.begin(), held.end());
  double bytes = 0, copy_ns = 0;
  for (const Absence& absence : choices_.absences) {
    if (absence.out_ns == 0 || absence.in_ns == 0) continue;
    bytes += static_cast<double>(absence.size_bytes);
    copy_ns += static_cast<double>(std::max(absence.out_ns, absence.in_ns));
  }
  const double load_ns =
      std::max(0.0, peak - arena_bytes_) * copy_ns / std::max(1.0, bytes);
  At(of_graph_, PriceFeature::kLaneLoad) = Squash(load_ns / step_ns_);
  At(of_graph_, PriceFeature::kScarcity) = Share(arena_bytes_, peak);
  At(of_graph_, PriceFeature::kInPlace) = costs_.in_place_tier() != kFastTier;
}

void AbsenceFeatures::Forget() {
  observed_ = false;
  waited_ = 0;
  chosen_.assign(choices_.absences.size(), false);
  for (std::vector<float>* density :
       {&out_load_, &in_load_, &room_wait_, &operand_wait_}) {
    density->assign(step_, 0);
  }
}

void AbsenceFeatures::Observe(const std::vector<Choice>& chosen,
                              const MoveSchedule& schedule) {
  Forget();
  observed_ = true;
  std::vector<int64_t> out_ns(step_), in_ns(step_);
  for (const Choice& choice : chosen) {
    const Absence& absence = choices_.absences[choice.absence];
    chosen_[choice.absence] = true;
    out_ns[absence.from % step_] += absence.out_ns;
    in_ns[absence.to % step_] += absence.in_ns;
  }
  out_load_ = Density(out_ns);
  in_load_ = Density(in_ns);
  room_wait_ = Density(schedule.room_wait_ns);
  operand_wait_ = Density(schedule.operand_wait_ns);
  waited_ = Squash(schedule.step_ns / step_ns_ - 1);
}

std::vector<float> AbsenceFeatures::Density(
    const std::vector<int64_t>& ns) const {
  const std::vector<int64_t>& time_ns = costs_.fast_boundary_ns();
  const auto reach_ns = static_cast<int64_t>(kWindow * step_ns_);
  std::vector<float> density;
  KernelIndex first = 0, end = 0;
  double sum_ns = 0;
  for (KernelIndex b = 0; b < step_; ++b) {
    while (end < step_ && time_ns[end] <= time_ns[b] + reach_ns) {
      sum_ns += static_cast<double>(ns[end++]);
    }
    while (time_ns[first] < time_ns[b] - reach_ns) {
      sum_ns -= static_cast<double>(ns[first++]);
    }
    density.push_back(Squash(sum_ns / std::max<double>(1, 2.0 * reach_ns)));
  }
  return density;
}

int64_t AbsenceFeatures::UnrolledNs(KernelIndex boundary) const {
  const std::vector<int64_t>& time_ns = costs_.fast_boundary_ns();
  if (boundary < step_) return time_ns[boundary];
  return time_ns.back() + time_ns[std::min(boundary - step_, step_ - 1)];
}

PriceFeatures AbsenceFeatures::Of(int absence) const {
  PriceFeatures features = of_graph_;
  SetTensor(absence, features);
  SetTimes(absence, features);
  if (observed_) SetRound(absence, features);
  return features;
}

void AbsenceFeatures::SetTensor(int absence, PriceFeatures& features) const {
  const Absence& one = choices_.absences[absence];
  const TensorIndex t = one.period.tensor;
  const Tensor& tensor = costs_.graph().tensors[t];
  const KernelIndex kernels = costs_.graph().kernel_count();
  const KernelIndex at = std::min(one.from % step_, kernels - 1);
  At(features, PriceFeature::kSize) =
      Squash(100 * static_cast<double>(one.size_bytes) / arena_bytes_);
  At(features, PriceFeature::kWeight) = tensor.kind == TensorKind::kWeight;
  At(features, PriceFeature::kOptimizerState) =
      tensor.kind == TensorKind::kOptimizerState;
  At(features, PriceFeature::kGradient) = tensor.kind == TensorKind::kGradient;
  At(features, PriceFeature::kActivation) =
      tensor.kind == TensorKind::kActivation;
  At(features, PriceFeature::kPersistent) = tensor.persistent;
  At(features, PriceFeature::kFrequency) =
      Squash(static_cast<double>(accesses_.FutureAccesses(t, at)));
  At(features, PriceFeature::kDistance) =
      Share(accesses_.FutureDistance(t, at), kernels);
  At(features, PriceFeature::kLifetime) = Share(accesses_.Lifetime(t), kernels);
}

void AbsenceFeatures::SetTimes(int absence, PriceFeatures& features) const {
  const Absence& one = choices_.absences[absence];
  const auto copies_ns = static_cast<double>(one.out_ns + one.in_ns);
  const double ns = UnrolledNs(one.to) - UnrolledNs(one.from);
  const auto penalty_ns =
      static_cast<double>(std::max<int64_t>(0, one.penalty_ns));
  const auto crowded =
      static_cast<double>(crowded_[one.to] - crowded_[one.from]);
  const double excess_bytes = excess_bytes_[one.to] - excess_bytes_[one.from];
  At(features, PriceFeature::kSlack) =
      copies_ns > 0 ? Squash(ns / copies_ns) : 0;
  At(features, PriceFeature::kUseful) = Share(crowded, one.to - one.from);
  At(features, PriceFeature::kCrowding) =
      Squash(excess_bytes / std::max(1.0, crowded) /
             static_cast<double>(std::max<int64_t>(1, one.size_bytes)));
  At(features, PriceFeature::kSlowUse) =
      Share(penalty_ns, penalty_ns + copies_ns);
  At(features, PriceFeature::kOutShare) =
      Share(static_cast<double>(one.out_ns), copies_ns);
  At(features, PriceFeature::kWithoutCopies) = copies_ns == 0;
  At(features, PriceFeature::kBegin) = Share(UnrolledNs(one.from), step_ns_);
  At(features, PriceFeature::kDuration) = Share(ns, step_ns_);
  const auto exposed_ns = static_cast<double>(one.exposed_ns);
  At(features, PriceFeature::kExposed) =
      Share(exposed_ns, exposed_ns + copies_ns);
  At(features, PriceFeature::kCopies) = Squash(100 * copies_ns / step_ns_);
}

void AbsenceFeatures::SetRound(int absence, PriceFeatures& features) const {
  const KernelIndex from = choices_.absences[absence].from % step_;
  const KernelIndex to = choices_.absences[absence].to % step_;
  At(features, PriceFeature::kObserved) = 1;
  At(features, PriceFeature::kChosen) = chosen_[absence];
  At(features, PriceFeature::kOutLoad) = out_load_[from];
  At(features, PriceFeature::kInLoad) = in_load_[to];
  At(features, PriceFeature::kRoomWait) = room_wait_[from];
  At(features, PriceFeature::kOperandWait) = operand_wait_[to];
  At(features, PriceFeature::kWaited) = waited_;
}

}  // namespace stowage::policies
