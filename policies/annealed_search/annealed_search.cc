#include "policies/annealed_search/annealed_search.h"

#include <utility>
#include <vector>

#include "policies/learned_prices/learned_prices_policy.h"
#include "policies/search/other_plans.h"
#include "policies/search/prices/learned_prices.h"
#include "policies/search/prices/price_network_proto.h"
#include "policies/search/search_plan.h"

namespace stowage {
namespace {

constexpr KernelIndex kMaxKernelsForTwo = 7'000;
constexpr double kLeastWaitingForTwo = 0.001;

// Tells the seed of the first search from that of the second: both may anneal
// the same plan.
constexpr int64_t kFirstSeed = int64_t{1} << 32;

// Where more is waited for, the second search considers other planners' plans,
// and the first one need not.
constexpr double kMostWaitingForOthers = 0.05;

// Where every use needs a copy plain prices are all alike, so that the search
// begins once for each rule of tiers; prices that were learnt over many graphs
// are one more beginning, unless a second search begins at them.
void RunAtLearnedPrices(const CostModel& costs, const AbsenceChoices& choices,
                        Search& search) {
  LearnedPrices prices(costs, choices, ShippedPriceNetwork());
  search.RunAtPrices(
      [&](const std::vector<Choice>& chosen, const MoveSchedule* schedule) {
        return prices.Price(chosen, schedule);
      });
}

// Whether the same search at learned prices is worth its time as well: where
// every plan is a compromise, and graphs are not large. With a time limit the
// first one takes what time there is.
bool IsWorthTwo(const Graph& graph, const PlanOptions& options,
                Search& search) {
  return options.time_limit <= absl::ZeroDuration() && !search.IsOver() &&
         graph.kernel_count() <= kMaxKernelsForTwo &&
         search.WaitedShare() >= kLeastWaitingForTwo;
}

void GoOn(const Graph& graph, const MemorySystem& system,
          const PlanOptions& options, bool considers_others, Search& search) {
  search.KeepBeginning();
  if (considers_others) ConsiderOtherPlans(graph, system, options, search);
  search.Anneal();
}

// Goes on beside the second search, and again from the better plan of the two.
void SearchTwice(const Graph& graph, const MemorySystem& system,
                 const PlanOptions& options, Search& search) {
  const bool considers_others = search.WaitedShare() < kMostWaitingForOthers;
  const auto go_on = [&] {
    GoOn(graph, system, options, considers_others, search);
  };
  absl::StatusOr<Plan> second;
  const auto search_again = [&] {
    second = DeepTmPlusPolicy().MakePlan(graph, system, options);
  };
  if (options.call_both) {
    options.call_both(go_on, search_again);
  } else {
    go_on();
    search_again();
  }
  if (second.ok()) search.Consider(*std::move(second));
  search.Anneal();
}

void SearchAll(const Graph& graph, const MemorySystem& system,
               const PlanOptions& options, const CostModel& costs,
               const AbsenceChoices& choices, Search& search) {
  search.Run();
  if (IsWorthTwo(graph, options, search)) {
    return SearchTwice(graph, system, options, search);
  }
  if (!HasAddressableSlowTier(system) && !search.IsOver()) {
    RunAtLearnedPrices(costs, choices, search);
  }
  GoOn(graph, system, options, /*considers_others=*/true, search);
}

}  // namespace

std::string_view StowPolicy::name() const { return "stow"; }

std::string_view StowPolicy::description() const {
  return "take the cheapest absences from the fast tier, schedule their copies "
         "by simulation, learn where kernels wait";
}

absl::StatusOr<Plan> StowPolicy::MakePlan(const Graph& graph,
                                          const MemorySystem& system,
                                          const PlanOptions& options) const {
  PlanOptions first = options;
  first.seed ^= kFirstSeed;
  return PlanBySearching(graph, system, first, name(),
                         [&](const CostModel& costs,
                             const AbsenceChoices& choices, Search& search) {
                           SearchAll(graph, system, options, costs, choices,
                                     search);
                         });
}

}  // namespace stowage
