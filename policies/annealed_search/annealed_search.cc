#include "policies/annealed_search/annealed_search.h"

#include <utility>
#include <vector>

#include "policies/search/prices/learned_prices.h"
#include "policies/search/prices/price_network_proto.h"
#include "policies/search/search_plan.h"

namespace stowage::policies {
namespace {

constexpr KernelIndex kMaxKernelsForTwo = 7'000;
constexpr double kLeastWaitingForTwo = 0.001;

// Keeps the seed of the first search apart from that of the second: both may
// anneal the same plan.
constexpr int64_t kFirstSeed = int64_t{1} << 32;

// If a step waits for more, the second search considers other planners' plans
// and the first one need not.
constexpr double kMostWaitingForRivals = 0.05;

// Begins the search at learnt prices as well. Where every use needs a copy,
// plain prices are all alike, so that the search begins once for each rule of
// tiers; prices that were learnt over many graphs are one more beginning,
// unless a second search begins at them.
void RunAtLearnedPrices(const CostModel& costs, const AbsenceChoices& choices,
                        Search& search) {
  LearnedPrices prices(costs, choices, ShippedPriceNetwork());
  search.RunAtPrices(
      [&](const std::vector<Choice>& chosen, const MoveSchedule* schedule) {
        return prices.Price(chosen, schedule);
      });
}

// Returns whether the same search at learned prices is worth its time as well:
// where every plan is a compromise, and graphs are not large. With a time
// limit, the first search takes all the time there is.
bool IsWorthTwo(const Graph& graph, const PlanOptions& options,
                Search& search) {
  return options.time_limit <= absl::ZeroDuration() && !search.IsOver() &&
         graph.kernel_count() <= kMaxKernelsForTwo &&
         search.WaitedShare() >= kLeastWaitingForTwo;
}

// Holds one request, and the policies that are weighed for it.
struct Problem {
  const Graph& graph;
  const MemorySystem& system;
  const PlanOptions& options;
  const Rivals& rivals;
  const Policy& learned_prices;
};

void GoOn(const Problem& problem, bool considers_rivals, Search& search) {
  search.KeepBeginning();
  if (considers_rivals) {
    ConsiderRivals(problem.rivals, problem.graph, problem.system,
                   problem.options, search);
  }
  search.Anneal();
}

// Goes on beside the second search, and again from the better plan of the two.
void SearchTwice(const Problem& problem, Search& search) {
  const bool considers_rivals = search.WaitedShare() < kMostWaitingForRivals;
  const auto go_on = [&] { GoOn(problem, considers_rivals, search); };
  absl::StatusOr<Plan> second;
  const auto search_again = [&] {
    second = problem.learned_prices.MakePlan(problem.graph, problem.system,
                                             problem.options);
  };
  if (problem.options.call_both) {
    problem.options.call_both(go_on, search_again);
  } else {
    go_on();
    search_again();
  }
  if (second.ok()) search.Consider(*std::move(second));
  search.Anneal();
}

void SearchAll(const Problem& problem, const CostModel& costs,
               const AbsenceChoices& choices, Search& search) {
  search.Run();
  if (IsWorthTwo(problem.graph, problem.options, search)) {
    return SearchTwice(problem, search);
  }
  if (!HasAddressableSlowTier(problem.system) && !search.IsOver()) {
    RunAtLearnedPrices(costs, choices, search);
  }
  GoOn(problem, /*considers_rivals=*/true, search);
}

}  // namespace

std::string_view AnnealedSearchPolicy::name() const {
  return "annealed-search";
}

std::string_view AnnealedSearchPolicy::description() const {
  return "take the cheapest absences from the fast tier, schedule their copies "
         "by simulation, learn where kernels wait";
}

absl::StatusOr<Plan> AnnealedSearchPolicy::MakePlan(
    const Graph& graph, const MemorySystem& system,
    const PlanOptions& options) const {
  const Problem problem{graph, system, options, rivals_, *learned_prices_};
  PlanOptions first = options;
  first.seed ^= kFirstSeed;
  return PlanBySearching(
      graph, system, first, name(),
      [&](const CostModel& costs, const AbsenceChoices& choices,
          Search& search) { SearchAll(problem, costs, choices, search); });
}

}  // namespace stowage::policies
