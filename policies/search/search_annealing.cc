// Spends the annealing of a search (residency_annealing.h).
#include <algorithm>
#include <optional>
#include <utility>

#include "policies/planning/plan_residencies.h"
#include "policies/search/search.h"

namespace stowage::policies {
namespace {

// The number of steps of annealing, each followed by a layout, if residencies
// without an address can be used in a slower tier.
constexpr int64_t kSteps = 5;

// Elsewhere, annealing begins with steps of one of so many parts of a share of
// the work, and with longer ones once addresses are found. The rest of the work
// goes to changes for which there are addresses; all of it does if the
// residencies without an address exceed the room.
constexpr int64_t kFirstSteps = 8;
constexpr double kShareWithoutPlaces = 0.6;

// If addresses were not found, annealing begins again with less room: so many
// times by this share of the residencies without one, then with this share of
// the arena.
constexpr int kGentleTries = 2;
constexpr double kGentleShare = 0.1;
constexpr double kRoomToSpare = 0.97;

// AnnealingEffort::reheating if each step goes on from the last one's result,
// and the temperatures of the first step and of the others.
constexpr double kReheating = 0.7;
constexpr double kFirstTemperature = 1e-4;
constexpr double kLaterTemperature = 3e-5;

// The work that a layout counts: for repairs, and for each residency.
constexpr int64_t kAnnealingRepairs = 100'000;
constexpr int64_t kLayoutWork = 100;

// How much slower another beginning that is tried may be, and the share of the
// work that each of the two gets for that.
constexpr double kMostWorse = 1.02;
constexpr double kTrialShare = 0.1;

// The most boundaries and residencies of a plan that is annealed with all the
// effort, since larger ones gain little by it, and of one that is annealed at
// all.
constexpr int64_t kAnnealedFully = 7'000;
constexpr int64_t kMostAnnealed = 20'000;

// The most boundaries of a step whose plan is annealed once more, which then
// takes little time.
constexpr int64_t kAnnealedTwice = 700;

// More annealings than there are in a search.
constexpr uint64_t kMostAnnealings = 256;

// The share of residencies without an address by which less is allowed while
// they are held.
constexpr double kMisfitShare = 0.5;

}  // namespace

void Search::Anneal() {
  if (!best_.ok() || IsOver()) return;
  AnnealFromBeginnings();
  const auto boundaries = static_cast<int64_t>(room_.bytes().size());
  if (boundaries <= kAnnealedTwice) AnnealBest(1);
  for (int n = 1; n <= effort_.longer_annealings; ++n) AnnealBest(1 << n);
}

void Search::AnnealFromBeginnings() {
  const double least_ns = best_->prediction.step_time_ns;
  std::optional<Plan> other = std::exchange(beginning_, std::nullopt);
  const double other_ns =
      other.has_value() ? other->prediction.step_time_ns : least_ns;
  if (other_ns <= least_ns || other_ns > kMostWorse * least_ns) {
    return AnnealBest(1);
  }
  std::swap(*best_, *other);
  AnnealBest(kTrialShare);
  std::swap(*best_, *other);
  AnnealBest(kTrialShare);
  if (other->prediction.step_time_ns < best_->prediction.step_time_ns) {
    best_ = *std::move(other);
  }
  AnnealBest(1 - 2 * kTrialShare);
}

void Search::AnnealBest(double share) {
  if (IsOver()) return;
  std::optional<BuildInput> input = BuildInputOf(costs_.graph(), *best_);
  if (!input.has_value()) return;
  const auto size =
      static_cast<int64_t>(room_.bytes().size() + input->residencies.size());
  if (size > kMostAnnealed) return;
  const int64_t most_work =
      effort_.annealing * kAnnealedFully / std::max(kAnnealedFully, size);
  const auto work = static_cast<int64_t>(
      share *
      static_cast<double>(std::min(most_work, effort_.annealing_each * size)));
  const int64_t layout_work = kAnnealingRepairs + kLayoutWork * size;
  room_.AllowAll(1);
  ResidencyAnnealing annealing(costs_.graph(), costs_.system(), input->streams,
                               effort_.seed * kMostAnnealings + ++annealings_);
  annealing.Begin(*std::move(input), room_.bytes());
  if (costs_.in_place_tier() != kFastTier) {
    AnnealLeavingSlow(annealing, work, layout_work);
    return;
  }
  const auto first =
      static_cast<int64_t>(kShareWithoutPlaces * static_cast<double>(work));
  const int64_t left = AnnealAndLayOut(annealing, first, layout_work);
  AnnealInPlaces(annealing, work - first + left);
}

void Search::AnnealLeavingSlow(ResidencyAnnealing& annealing, int64_t work,
                               int64_t layout_work) {
  double temperature = kFirstTemperature;
  for (int64_t left = work; left > 0 && !IsOver();) {
    const int64_t step = std::min(work / kSteps, left);
    left -= step + layout_work;
    const std::vector<Residency> misfits = AnnealStep(
        annealing,
        {.work = step, .temperature = temperature, .reheating = kReheating});
    temperature = kLaterTemperature;
    if (misfits.empty()) continue;
    room_.Take(misfits, kMisfitShare);
    annealing.Allow(room_.bytes());
  }
}

int64_t Search::AnnealAndLayOut(ResidencyAnnealing& annealing, int64_t work,
                                int64_t layout_work) {
  double temperature = kFirstTemperature;
  int64_t step = work / kFirstSteps;
  int64_t left = work;
  int failures = 0;
  while (left > 0 && !IsOver()) {
    step = std::min(step, left);
    left -= step + layout_work;
    const std::vector<Residency> misfits = AnnealStep(
        annealing,
        {.work = step, .temperature = temperature, .reheating = kReheating});
    temperature = kLaterTemperature;
    if (misfits.empty()) {
      step *= 2;
      continue;
    }
    if (IsFarFromFitting(misfits)) break;
    step = work / kFirstSteps;
    if (++failures <= kGentleTries) {
      room_.Take(misfits, kGentleShare);
    } else if (failures == kGentleTries + 1) {
      room_.AllowAll(kRoomToSpare);
    } else {
      room_.Take(misfits, kMisfitShare);
      annealing.Allow(room_.bytes());
      continue;
    }
    if (!BeginAgain(annealing, false)) break;
  }
  return std::max<int64_t>(0, left);
}

bool Search::BeginAgain(ResidencyAnnealing& annealing, bool tightens) {
  std::optional<BuildInput> input = BuildInputOf(costs_.graph(), *best_);
  if (!input.has_value()) return false;
  if (tightens) Tighten(*input);
  annealing.Begin(*std::move(input), room_.bytes());
  return true;
}

void Search::AnnealInPlaces(ResidencyAnnealing& annealing, int64_t work) {
  room_.AllowAll(1);
  if (IsOver() || !BeginAgain(annealing, true)) return;
  annealing.KeepPlaces(costs_.workload().arena_bytes);
  AnnealStep(annealing, {.work = work,
                         .temperature = kFirstTemperature,
                         .reheating = kReheating});
}

bool Search::IsFarFromFitting(const std::vector<Residency>& misfits) const {
  int64_t bytes = 0;
  for (const Residency& misfit : misfits) {
    bytes += costs_.graph().tensors[misfit.tensor].size_bytes;
  }
  return bytes > costs_.workload().arena_bytes;
}

std::vector<Residency> Search::AnnealStep(ResidencyAnnealing& annealing,
                                          AnnealingEffort effort) {
  effort.deadline = effort_.deadline;
  effort.cancellation = effort_.cancellation;
  BuildInput input = annealing.Run(effort);
  const bool in_place = costs_.in_place_tier() != kFastTier;
  const bool repairs = in_place || input.residencies.size() <= kMostRepaired;
  input.repair_work = repairs ? kAnnealingRepairs : 0;
  if (!annealing.keeps_places()) {
    Tighten(input);
    for (Residency& residency : input.residencies) residency.offset_bytes = -1;
  }
  std::vector<Residency> misfits;
  absl::StatusOr<Plan> plan =
      BuildPlan(costs_.graph(), costs_.system(), input, &misfits);
  if (plan.ok()) {
    Consider(*std::move(plan));
  } else if (in_place) {
    LeaveSlow(std::move(input), misfits);
  }
  return misfits;
}

}  // namespace stowage::policies
