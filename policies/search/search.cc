#include "policies/search/search.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "policies/planning/drops.h"
#include "policies/planning/move_windows.h"
#include "policies/planning/staging.h"
#include "policies/search/annealing/early_leaving.h"
#include "policies/search/annealing/residency_tightening.h"
#include "policies/simulate/simulator.h"
#include "timing/steady_now.h"

namespace stowage::policies {
namespace {

// Where kernels can use a slower tier in place, the price of a copy decides
// between moving and staying slow. Elsewhere all absences cost alike.
constexpr LanePrices kPrices[] = {{1, 1, 1000},  {1, 1, 1},
                                  {0.2, 0.2, 1}, {0.03, 0.03, 1},
                                  {0.5, 0.5, 1}, {0.1, 0.1, 1}};

// The shares of a residency without an address by which less is allowed while
// it is held, one after the other while there is effort left.
constexpr double kMisfitShares[] = {0.5, 0.25, 1};

// The most times that items without an address are left slow. Then less room is
// contended, but the layout may leave out something else.
constexpr int kMostLeaving = 3;

// The shares of the arena that are planned for if addresses fail.
constexpr double kSpareShares[] = {0.93, 0.87, 0.8, 0.7, 0.55};

// The largest share of the arena that is planned for if a plan has to be found
// at once, or with little work: one layout is nearly always enough.
constexpr double kShareAtOnce = 0.9;

// The most that the best plan's step may wait if a plan with room to spare is
// tried as well.
constexpr double kHardlyWaits = 0.002;

// If the best plan waits for more, copies from block devices begin late, too,
// before addresses are looked for: more layouts succeed. Elsewhere that gains
// little beside what delays would cost.
constexpr double kMostWaitingForEarly = 0.05;

// Waiting that is not worth a search, as a share of a step without waiting.
constexpr double kNegligible = 0.0002;

}  // namespace

Search::Search(const CostModel& costs, const AbsenceChoices& choices,
               const SearchEffort& effort)
    : costs_(costs),
      choices_(choices),
      effort_(effort),
      work_left_(effort.work),
      selector_(costs.graph(), choices),
      room_(costs, choices),
      best_(absl::ResourceExhaustedError("no address layout was found")) {}

void Search::Run() {
  if (PlansAtOnce({.costs = CostsAt(choices_, kPrices[0])}, nullptr)) return;
  RunFrom(Starts(), nullptr);
}

void Search::RunAtPrices(const PriceAbsences& price) {
  if (PlansAtOnce({}, price)) return;
  std::vector<Recipe> starts;
  for (const TierRule rule : Rules()) starts.push_back({.tiers = rule});
  RunFrom(starts, price);
}

bool Search::PlansAtOnce(const Recipe& recipe, const PriceAbsences& price) {
  if (effort_.deadline == absl::InfiniteFuture()) return false;
  MakeDo(Begin(recipe, price), kShareAtOnce);
  return IsDone();
}

int64_t Search::EstimateStepNs(const PriceAbsences& price) {
  int64_t step_ns = std::numeric_limits<int64_t>::max();
  for (const TierRule rule : Rules()) {
    room_.AllowAll(1);
    const Candidate candidate = Learn({.tiers = rule}, effort_.rounds, price);
    step_ns = std::min(step_ns, candidate.schedule.step_ns);
  }
  return step_ns;
}

void Search::RunFrom(const std::vector<Recipe>& starts,
                     const PriceAbsences& price) {
  std::vector<Candidate> candidates;
  for (const Recipe& recipe : starts) {
    room_.AllowAll(1);
    candidates.push_back(Learn(recipe, effort_.rounds, price));
    const bool good = IsGoodEnough(candidates.back().schedule.step_ns);
    if (good || IsDone()) break;
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return a.schedule.step_ns < b.schedule.step_ns;
                   });
  for (const double misfit_share : kMisfitShares) {
    for (const Candidate& candidate : candidates) {
      if (IsHopeless(candidate) || IsDone()) break;
      LayOut(candidate, misfit_share);
    }
  }
  TryWithRoomToSpare(candidates.front().recipe);
  // Layouts that fail cost as much as those that succeed, and up to three more
  // each for items that are left slow. That is too much if one selection
  // already spends the effort.
  const bool selects_once =
      static_cast<int64_t>(choices_.absences.size()) >= effort_.work;
  MakeDo(candidates.front().recipe, selects_once ? kShareAtOnce : 1);
}

// For large steps that hardly wait, the layout of a plan with room to spare is
// often better than those of ever smaller compromises.
void Search::TryWithRoomToSpare(const Recipe& recipe) {
  if (!best_.ok() || IsOver() || WaitedShare() > kHardlyWaits) return;
  room_.AllowAll(kSpareShares[1]);
  TryLayout(Evaluate(recipe));
}

bool Search::IsHopeless(const Candidate& candidate) const {
  return best_.ok() &&
         candidate.schedule.step_ns >= best_->prediction.step_time_ns;
}

bool Search::IsStuck() const {
  return absl::IsResourceExhausted(best_.status());
}

// Makes do where no address layout was found: it plans with ever more room to
// spare, and in the end stages each kernel's tensors for it alone, which always
// fits.
void Search::MakeDo(const Recipe& recipe, double most_share) {
  for (const double share : kSpareShares) {
    if (!IsStuck() || effort_.cancellation.IsCancelled()) return;
    if (share > most_share) continue;
    room_.AllowAll(share);
    TryLayout(Evaluate(recipe));
  }
  if (!IsStuck()) return;
  BuildInput input = MakeInput({});
  input.residencies = StagedResidencies(costs_.graph(), costs_.workload());
  absl::StatusOr<Plan> plan = BuildPlan(costs_.graph(), costs_.system(), input);
  if (!plan.ok()) {
    best_ = plan.status();
    return;
  }
  plan->notes.push_back(
      "No address layout of the search's decisions fits the limit, so each "
      "kernel's tensors are staged for it alone.");
  Consider(*std::move(plan));
}

std::vector<TierRule> Search::Rules() const {
  if (costs_.system().tier_count() < 3) return {TierRule::kFirst};
  return {TierRule::kFirst, TierRule::kLast};
}

std::vector<Search::Recipe> Search::Starts() const {
  const bool in_place = costs_.in_place_tier() != kFastTier;
  std::vector<Recipe> starts;
  for (const LanePrices& prices : kPrices) {
    for (const TierRule rule : Rules()) {
      starts.push_back({.costs = CostsAt(choices_, prices), .tiers = rule});
    }
    if (!in_place) break;
  }
  return starts;
}

Search::Candidate Search::Evaluate(const Recipe& recipe) {
  Candidate candidate{.recipe = recipe};
  candidate.chosen = selector_.Select(recipe.costs, ExcessFor(recipe));
  Schedule(candidate);
  work_left_ -= static_cast<int64_t>(choices_.absences.size());
  return candidate;
}

std::vector<int64_t> Search::ExcessFor(const Recipe& recipe) const {
  std::vector<int64_t> fewer_bytes = room_.bytes();
  for (size_t b = 0; b < fewer_bytes.size(); ++b) {
    fewer_bytes[b] = std::max(choices_.least_bytes[b],
                              fewer_bytes[b] - recipe.reserve_bytes[b]);
  }
  return ExcessBytes(costs_, fewer_bytes);
}

void Search::Schedule(Candidate& candidate) {
  candidate.placed =
      ChooseTiers(costs_, choices_, candidate.chosen, candidate.recipe.tiers);
  candidate.schedule = ScheduleMoves(costs_, candidate.placed, room_.bytes());
}

Search::Recipe Search::Begin(Recipe recipe, const PriceAbsences& price) const {
  recipe.reserve_bytes.assign(choices_.least_bytes.size(), 0);
  if (price != nullptr) recipe.costs = price({}, nullptr);
  return recipe;
}

Search::Candidate Search::Learn(Recipe recipe, int rounds,
                                const PriceAbsences& price) {
  recipe = Begin(std::move(recipe), price);
  std::optional<Candidate> best;
  for (int round = 0; round < rounds; ++round) {
    if (best.has_value() &&
        (IsDone() || IsGoodEnough(best->schedule.step_ns))) {
      break;
    }
    Candidate candidate = Evaluate(recipe);
    for (size_t b = 0; b < room_.bytes().size(); ++b) {
      recipe.reserve_bytes[b] =
          (recipe.reserve_bytes[b] + candidate.schedule.under_way_bytes[b]) / 2;
    }
    if (price != nullptr) {
      recipe.costs = price(candidate.chosen, &candidate.schedule);
    }
    if (!best.has_value() ||
        candidate.schedule.step_ns < best->schedule.step_ns) {
      best = std::move(candidate);
    }
  }
  return *std::move(best);
}

void Search::LayOut(Candidate candidate, double misfit_share) {
  room_.AllowAll(1);
  const bool in_place = costs_.in_place_tier() != kFastTier;
  const int layouts = in_place ? effort_.layouts / 3 : effort_.layouts;
  for (int layout = 0; layout < layouts; ++layout) {
    const std::vector<Residency> misfits = TryLayout(candidate);
    if (misfits.empty() || IsDone()) return;
    room_.Take(misfits, misfit_share);
    candidate = Evaluate(candidate.recipe);
  }
}

std::vector<Residency> Search::TryLayout(const Candidate& candidate) {
  BuildInput input = MakeInput(candidate);
  Tighten(input);
  work_left_ -= static_cast<int64_t>(input.residencies.size());
  std::vector<Residency> misfits;
  absl::StatusOr<Plan> plan =
      BuildPlan(costs_.graph(), costs_.system(), input, &misfits);
  if (plan.ok()) {
    Consider(*std::move(plan));
  } else if (misfits.empty() && !best_.ok()) {
    best_ = plan.status();
  } else if (costs_.in_place_tier() != kFastTier && !IsHopeless(candidate)) {
    LeaveSlow(input, misfits);
  }
  return misfits;
}

void Search::Tighten(BuildInput& input) const {
  const bool waits = WaitedShare() > kMostWaitingForEarly;
  TightenResidencies(costs_.graph(), costs_.system(),
                     waits ? CopiesBegin::kLate : CopiesBegin::kLateFromMemory,
                     input);
  LeaveEarly(costs_.graph(), costs_.system(), input);
}

void Search::LeaveSlow(BuildInput input, std::vector<Residency> misfits) {
  const auto key = [](const Residency& residency) {
    return std::make_pair(residency.tensor, residency.begin);
  };
  for (int n = 0; n < kMostLeaving && !misfits.empty(); ++n) {
    std::set<std::pair<TensorIndex, KernelIndex>> left_out;
    for (const Residency& misfit : misfits) {
      if (!costs_.graph().tensors[misfit.tensor].movable()) return;
      left_out.insert(key(misfit));
    }
    std::erase_if(input.residencies, [&](const Residency& residency) {
      return left_out.contains(key(residency));
    });
    work_left_ -= static_cast<int64_t>(input.residencies.size());
    absl::StatusOr<Plan> plan =
        BuildPlan(costs_.graph(), costs_.system(), input, &misfits);
    if (plan.ok()) return Consider(*std::move(plan));
    if (!absl::IsResourceExhausted(plan.status())) return;
  }
}

void Search::Consider(Plan plan) {
  MakeDrops(costs_.graph(), plan);
  for (int round = 0; round < 2; ++round) {
    const absl::StatusOr<Simulation> simulation =
        Simulate(costs_.graph(), costs_.system(), plan, effort_.cancellation);
    if (!simulation.ok()) return;
    plan.prediction = simulation->prediction;
    if (!best_.ok() ||
        plan.prediction.step_time_ns <= best_->prediction.step_time_ns) {
      best_ = plan;
    }
    if (round == 0) WidenMoves(costs_.graph(), *simulation, plan);
  }
}

double Search::WaitedShare() const {
  if (!best_.ok()) return 0;
  const auto fast_ns = static_cast<double>(costs_.fast_boundary_ns().back());
  return static_cast<double>(best_->prediction.step_time_ns) /
             std::max(1.0, fast_ns) -
         1;
}

bool Search::IsOver() {
  timed_out_ = timed_out_ || SteadyNow() > effort_.deadline ||
               effort_.cancellation.IsCancelled();
  return timed_out_ ||
         (best_.ok() && IsGoodEnough(best_->prediction.step_time_ns));
}

bool Search::IsDone() { return IsOver() || work_left_ <= 0; }

bool Search::IsGoodEnough(int64_t step_ns) const {
  const auto fast_ns = static_cast<double>(costs_.fast_boundary_ns().back());
  return static_cast<double>(step_ns) <= (1 + kNegligible) * fast_ns;
}

BuildInput Search::MakeInput(const Candidate& candidate) const {
  const Workload& workload = costs_.workload();
  BuildInput input{.residencies = ResidenciesWithout(costs_.graph(),
                                                     candidate.schedule.taken),
                   .streams = workload.streams,
                   .fast_limit_bytes = workload.fast_limit_bytes,
                   .cancellation = effort_.cancellation};
  input.first_slow_tier.assign(costs_.graph().tensors.size(), 1);
  for (const PlacedAbsence& placed : candidate.placed) {
    input.first_slow_tier[placed.absence.period.tensor] = placed.tier;
  }
  if (input.residencies.size() > kMostRepaired) input.repair_work = 0;
  return input;
}

}  // namespace stowage::policies
