// Finds the residencies of a step: it chooses absences and when their copies
// run, so that kernels wait as little as possible and addresses fit.
//
//   Search search(costs, choices, {.rounds = 8});
//   search.Run();
//   absl::StatusOr<Plan> plan = search.best();
//
// Keeps references to its arguments. Not thread-safe.
#ifndef STOWAGE_POLICIES_SEARCH_SEARCH_H_
#define STOWAGE_POLICIES_SEARCH_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policies/plan/cancellation.h"
#include "policies/plan/plan.h"
#include "policies/planning/plan_builder.h"
#include "policies/search/absences/absence_selector.h"
#include "policies/search/absences/allowed_room.h"
#include "policies/search/absences/move_schedule.h"
#include "policies/search/absences/tier_choice.h"
#include "policies/search/annealing/residency_annealing.h"

namespace stowage::policies {

struct SearchEffort {
  // Schedules that are tried from each start. Each learns from the one before
  // how much room copies under way need.
  int rounds = 3;
  // Address layouts that are tried for a schedule, each with less room where
  // the one before did not fit. A third of them are tried where items without
  // an address can be used in a slower tier.
  int layouts = 12;
  // Absences and residencies that are scheduled or laid out, in all.
  int64_t work = 300'000;
  // The work of all annealing together, as in AnnealingEffort::work, and the
  // most of it for each boundary and residency.
  int64_t annealing = 15'000'000;
  int64_t annealing_each = 60'000;
  // How often annealing begins again at the best plan, each time with twice the
  // work of the time before.
  int longer_annealings = 0;
  // The seed of the random numbers of annealing.
  uint64_t seed = 0;
  // The search begins no new schedule or layout after this.
  absl::Time deadline = absl::InfiniteFuture();
  // Once cancelled, the search ends as at its deadline.
  Cancellation cancellation;
};

// Returns what each absence costs in the next round, by absence, > 0;
// LearnedPrices::Price is one. `chosen` are the absences of the round before
// and `schedule` is what became of them; empty and null in the first round of a
// start.
using PriceAbsences = std::function<std::vector<double>(
    const std::vector<Choice>& chosen, const MoveSchedule* schedule)>;

class Search {
 public:
  Search(const CostModel& costs, const AbsenceChoices& choices,
         const SearchEffort& effort);

  // Finds a plan, and better ones until the effort is spent or no better one is
  // worth it.
  void Run();

  // Searches like Run, but from one start for each rule of tiers, in which
  // absences cost what `price` returns.
  void RunAtPrices(const PriceAbsences& price);

  // Makes the best plan so far one that Anneal may also begin with, if the best
  // plan then is another and not much better.
  void KeepBeginning() {
    if (best_.ok()) beginning_ = *best_;
  }

  // Makes small changes to the residencies of the best plan, whoever made it
  // (residency_annealing.h). Does nothing for graphs so large that it takes
  // long to begin, nor if a tensor is in several slower tiers.
  void Anneal();

  // Returns how long a step would take at such prices if addresses were always
  // found; takes a fraction of the time.
  int64_t EstimateStepNs(const PriceAbsences& price);

  // Takes into account a plan of another planner, which the verifier accepts.
  // Gives its moves the time that its addresses allow.
  void Consider(Plan plan);

  // Returns the best plan so far, with its prediction; an error if there is
  // none.
  const absl::StatusOr<Plan>& best() const { return best_; }

  // Returns how much longer the step of the best plan is than one in which
  // nothing is waited for or used in a slower tier, as a share of that; 0
  // without a plan.
  double WaitedShare() const;

  // Returns whether a better plan is not worth a search, or there is no time
  // for it.
  bool IsOver();
  // Returns whether the deadline kept the search from doing all that it would
  // have.
  bool timed_out() const { return timed_out_; }

 private:
  // Holds what a schedule is made from.
  struct Recipe {
    std::vector<double> costs;  // by absence
    TierRule tiers = TierRule::kFirst;
    std::vector<int64_t> reserve_bytes;  // by boundary, for copies under way
  };
  struct Candidate {
    Recipe recipe;
    std::vector<Choice> chosen;
    std::vector<PlacedAbsence> placed;
    MoveSchedule schedule;
  };

  std::vector<TierRule> Rules() const;
  std::vector<Recipe> Starts() const;
  // Finds a plan to return, whenever the deadline comes, if there is one.
  // Returns whether the search has nothing more to do.
  bool PlansAtOnce(const Recipe& recipe, const PriceAbsences& price);
  // Lays out the best candidates that rounds from the starts lead to.
  void RunFrom(const std::vector<Recipe>& starts, const PriceAbsences& price);
  // Lays out a plan that leaves room unused as well, where the best plan hardly
  // waits.
  void TryWithRoomToSpare(const Recipe& recipe);
  // Returns the recipe of a first round.
  Recipe Begin(Recipe recipe, const PriceAbsences& price) const;
  Candidate Evaluate(const Recipe& recipe);
  // Chooses tiers and copies for the chosen absences.
  void Schedule(Candidate& candidate);
  std::vector<int64_t> ExcessFor(const Recipe& recipe) const;
  // Returns the best of some rounds; without `price` absences cost what the
  // recipe says.
  Candidate Learn(Recipe recipe, int rounds, const PriceAbsences& price);
  // Lays out the candidate, or what becomes of it with less room: while a
  // residency without an address is held, less by that share of it is allowed.
  void LayOut(Candidate candidate, double misfit_share);
  // Tries a layout. Returns the residencies without an address in the one that
  // leaves out least; nothing if there is a plan, or if less room would not
  // help.
  std::vector<Residency> TryLayout(const Candidate& candidate);
  // Anneals from the best plan, and from another beginning if there is one.
  void AnnealFromBeginnings();
  // Anneals from the best plan alone, with a share of the effort.
  void AnnealBest(double share);
  // Anneals from the best plan, spending `work`; a layout counts as
  // `layout_work`. Residencies without an address are used in a slower tier.
  void AnnealLeavingSlow(ResidencyAnnealing& annealing, int64_t work,
                         int64_t layout_work);
  // Anneals so that only plans that find addresses as a whole count. Returns
  // the work left.
  int64_t AnnealAndLayOut(ResidencyAnnealing& annealing, int64_t work,
                          int64_t layout_work);
  // Anneals so that only changes that find addresses beside all else are tried.
  void AnnealInPlaces(ResidencyAnnealing& annealing, int64_t work);
  // Begins annealing with the best plan. If `tightens`, its residencies are as
  // short as they may be. Returns false if it cannot.
  bool BeginAgain(ResidencyAnnealing& annealing, bool tightens);
  bool IsFarFromFitting(const std::vector<Residency>& misfits) const;
  // Considers the result of `annealing`; returns the residencies without an
  // address.
  std::vector<Residency> AnnealStep(ResidencyAnnealing& annealing,
                                    AnnealingEffort effort);
  // Shortens residencies to what their copies need.
  void Tighten(BuildInput& input) const;
  // Considers the plan in which residencies without an address are used in a
  // slower tier.
  void LeaveSlow(BuildInput input, std::vector<Residency> misfits);
  void MakeDo(const Recipe& recipe, double most_share);
  bool IsStuck() const;
  // Returns whether even its schedule, without addresses, is no faster than the
  // best plan.
  bool IsHopeless(const Candidate& candidate) const;
  BuildInput MakeInput(const Candidate& candidate) const;
  bool IsDone();
  bool IsGoodEnough(int64_t step_ns) const;

  // The most residencies whose layout is repaired if that loses something: with
  // less room, a search reaches good schedules of more residencies sooner.
  static constexpr size_t kMostRepaired = 700;

  const CostModel& costs_;
  const AbsenceChoices& choices_;
  const SearchEffort effort_;
  bool timed_out_ = false;
  int64_t work_left_ = 0;
  uint64_t annealings_ = 0;
  AbsenceSelector selector_;
  AllowedRoom room_;
  absl::StatusOr<Plan> best_;
  std::optional<Plan> beginning_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_SEARCH_H_
