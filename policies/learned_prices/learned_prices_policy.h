// Searches at prices that a network learnt over many graphs, and at plain ones.
// It needs no training on a new graph.
//
//   LearnedPricesPolicy learned_prices(std::move(rivals));
//   absl::StatusOr<Plan> plan =
//       learned_prices.MakePlan(graph, system, options);
//
// docs/policies-learned-prices.md describes it.
#ifndef STOWAGE_POLICIES_LEARNED_PRICES_LEARNED_PRICES_POLICY_H_
#define STOWAGE_POLICIES_LEARNED_PRICES_LEARNED_PRICES_POLICY_H_

#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "policies/plan/policy.h"
#include "policies/search/prices/price_network.h"
#include "policies/search/rivals.h"

namespace stowage::policies {

// Is "learned-prices". Stateless and safe to call from several threads.
class LearnedPricesPolicy : public Policy {
 public:
  // Uses the network that comes with the library.
  explicit LearnedPricesPolicy(Rivals rivals);
  // `network` is used, not owned.
  LearnedPricesPolicy(const PriceNetwork& network, Rivals rivals)
      : network_(network), rivals_(std::move(rivals)) {}

  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;

 private:
  const PriceNetwork& network_;
  const Rivals rivals_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_LEARNED_PRICES_LEARNED_PRICES_POLICY_H_
