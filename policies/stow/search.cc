#include "policies/stow/search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "policies/planning/address_layout.h"
#include "policies/stow/tier_choice.h"

namespace stowage {
namespace {

// Where kernels can use a slower tier in place, what a copy costs decides
// between moving and staying slow. Elsewhere all absences cost alike.
constexpr LanePrices kPrices[] = {
    {1, 1, 1000}, {1, 1, 1}, {0.2, 0.2, 1}, {0.03, 0.03, 1}};

// Of a segment that found no address, the share that is taken from what is
// allowed while it is held; of the arena, the most that is taken at once.
constexpr double kMisfitShare = 0.25;
constexpr double kLargestCut = 0.03;

}  // namespace

Search::Search(const CostModel& costs, const AbsenceChoices& choices,
               const SearchEffort& effort)
    : costs_(costs),
      choices_(choices),
      effort_(effort),
      least_bytes_(costs.workload().need_bytes) {
  least_bytes_.push_back(0);
  for (const int64_t least : least_bytes_) {
    allowed_bytes_.push_back(std::max(least, costs.workload().arena_bytes));
  }
}

absl::StatusOr<Plan> Search::FindPlan() {
  Candidate candidate = FindBest();
  for (int layout = 0; layout < effort_.layouts; ++layout) {
    const BuildInput input = MakeInput(candidate);
    const auto segments = static_cast<int>(input.segments.size());
    if (layout > 2 && layout * segments > effort_.layout_segments) break;
    absl::StatusOr<Plan> plan =
        BuildPlan(costs_.graph(), costs_.system(), input);
    if (!absl::IsResourceExhausted(plan.status())) return plan;
    if (IsLate()) break;
    TakeRoom(FindMisfits(costs_.graph(), costs_.system(), input));
    candidate = Evaluate(candidate.recipe);
  }
  return absl::ResourceExhaustedError("no address layout was found");
}

Search::Candidate Search::Evaluate(const Recipe& recipe) const {
  std::vector<int64_t> fewer_bytes = allowed_bytes_;
  for (size_t b = 0; b < fewer_bytes.size(); ++b) {
    fewer_bytes[b] =
        std::max(least_bytes_[b], fewer_bytes[b] - recipe.reserve_bytes[b]);
  }
  AbsenceSelector selector(costs_.graph(), choices_, fewer_bytes);
  Candidate candidate{.recipe = recipe};
  candidate.placed =
      ChooseTiers(costs_, choices_, selector.Select(recipe.prices));
  candidate.schedule = ScheduleMoves(costs_, candidate.placed, allowed_bytes_);
  return candidate;
}

bool Search::IsLate() {
  timed_out_ = timed_out_ || absl::Now() > effort_.deadline;
  return timed_out_;
}

Search::Candidate Search::FindBest() {
  const bool in_place = costs_.in_place_tier() != kFastTier;
  std::optional<Candidate> best;
  for (const LanePrices& prices : kPrices) {
    Recipe recipe{.prices = prices};
    recipe.reserve_bytes.resize(allowed_bytes_.size());
    for (int round = 0; round < effort_.rounds; ++round) {
      if (best.has_value() && IsLate()) return *std::move(best);
      Candidate candidate = Evaluate(recipe);
      for (size_t b = 0; b < allowed_bytes_.size(); ++b) {
        recipe.reserve_bytes[b] =
            (recipe.reserve_bytes[b] + candidate.schedule.under_way_bytes[b]) /
            2;
      }
      if (!best.has_value() ||
          candidate.schedule.step_ns < best->schedule.step_ns) {
        best = std::move(candidate);
      }
    }
    if (!in_place) break;
  }
  return *std::move(best);
}

BuildInput Search::MakeInput(const Candidate& candidate) const {
  const Workload& workload = costs_.workload();
  BuildInput input{
      .segments = SegmentsWithout(costs_.graph(), candidate.schedule.taken),
      .streams = workload.streams,
      .stream_window_bytes = workload.stream_window_bytes,
      .fast_limit_bytes = workload.fast_limit_bytes};
  input.first_slow_tier.assign(costs_.graph().tensors.size(), 1);
  for (const PlacedAbsence& placed : candidate.placed) {
    input.first_slow_tier[placed.absence.gap.tensor] = placed.tier;
  }
  return input;
}

// Fragmentation is local: only where segments found no address is less planned
// for (AutoTM does the same with its limits).
void Search::TakeRoom(const std::vector<FastSegment>& misfits) {
  const auto largest_bytes = static_cast<int64_t>(
      kLargestCut * static_cast<double>(costs_.workload().arena_bytes));
  std::vector<int64_t> cut(allowed_bytes_.size());
  for (const FastSegment& misfit : misfits) {
    const int64_t bytes =
        RoundUpToPlacement(costs_.graph().tensors[misfit.tensor].size_bytes);
    for (KernelIndex b = misfit.begin; b < misfit.end; ++b) {
      cut[b] += static_cast<int64_t>(kMisfitShare * static_cast<double>(bytes));
    }
  }
  for (size_t b = 0; b < cut.size(); ++b) {
    allowed_bytes_[b] = std::max(
        least_bytes_[b], allowed_bytes_[b] - std::min(largest_bytes, cut[b]));
  }
}

}  // namespace stowage
