#include "tests/bench/learned_prices/problem.h"

#include <utility>

#include "policies/planning/plan_policy.h"
#include "policies/search/prices/learned_prices.h"
#include "policies/search/search.h"

namespace stowage::policies {

Problem::Problem(Case one)
    : case_(std::move(one)),
      workload_(*MakeWorkload(
          case_.graph, case_.system,
          EffectiveLimit(case_.system,
                         {.fast_limit_bytes = case_.limit_bytes}))),
      costs_(case_.graph, case_.system, workload_),
      choices_(FindAbsences(case_.graph, workload_, costs_)) {}

double Problem::Evaluate(const PriceNetwork& network) const {
  LearnedPrices prices(costs_, choices_, network);
  Search search(costs_, choices_, SearchEffort());
  const int64_t step_ns =
      search.EstimateStepNs([&](const auto& chosen, const auto* schedule) {
        return prices.Price(chosen, schedule);
      });
  return static_cast<double>(step_ns) / static_cast<double>(case_.fast_ns);
}

}  // namespace stowage::policies
