// Holds what a search for a plan begins with, for tests of learned-prices.
//
//   PlanningProblem problem(TrainingStepGraph(10, 1), "optane", 0.3);
//   LearnedPrices prices(problem.costs, problem.choices, network);
#ifndef STOWAGE_TESTS_UNIT_POLICIES_SEARCH_PRICES_PLANNING_PROBLEM_H_
#define STOWAGE_TESTS_UNIT_POLICIES_SEARCH_PRICES_PLANNING_PROBLEM_H_

#include <string_view>
#include <utility>

#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "policies/search/absences/absence.h"
#include "policies/search/absences/cost_model.h"

namespace stowage::policies {

struct PlanningProblem {
  // `ratio` is the fast memory as a share of the graph's peak.
  PlanningProblem(Graph step, std::string_view preset, double ratio)
      : graph(std::move(step)),
        system(*PresetMemorySystem(preset)),
        limit_bytes(
            static_cast<int64_t>(ratio * ComputeLiveness(graph).peak_bytes)),
        workload(*MakeWorkload(graph, system, limit_bytes)),
        costs(graph, system, workload),
        choices(FindAbsences(graph, workload, costs)) {}

  Graph graph;
  MemorySystem system;
  int64_t limit_bytes;
  Workload workload;
  CostModel costs;
  AbsenceChoices choices;
};

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_UNIT_POLICIES_SEARCH_PRICES_PLANNING_PROBLEM_H_
