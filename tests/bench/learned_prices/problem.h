// Holds a case with what all plans for it have in common, so that many networks
// can be tried on it.
//
//   const Problem problem(one_case);
//   double step = problem.Evaluate(network);
#ifndef STOWAGE_TESTS_BENCH_LEARNED_PRICES_PROBLEM_H_
#define STOWAGE_TESTS_BENCH_LEARNED_PRICES_PROBLEM_H_

#include <string>

#include "policies/planning/workload.h"
#include "policies/search/absences/absence.h"
#include "policies/search/absences/cost_model.h"
#include "policies/search/prices/price_network.h"
#include "tests/bench/learned_prices/corpus.h"

namespace stowage::policies {

// Not copyable: its members refer to each other.
class Problem {
 public:
  explicit Problem(Case one);
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  // Returns the time of a step at the network's prices if addresses are always
  // found, over that of a step with everything fast.
  double Evaluate(const PriceNetwork& network) const;

  const std::string& label() const { return case_.label; }

 private:
  const Case case_;
  const Workload workload_;
  const CostModel costs_;
  const AbsenceChoices choices_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_BENCH_LEARNED_PRICES_PROBLEM_H_
