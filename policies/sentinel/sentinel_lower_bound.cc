#include "policies/sentinel/sentinel_lower_bound.h"

#include <algorithm>

#include "policies/intervals/interval_demand.h"
#include "policies/layout/address_layout.h"

namespace stowage::policies {

int64_t SentinelLowerBoundBytes(const Graph& graph, const Layers& layers) {
  int64_t largest_bytes = 0;
  for (const Tensor& tensor : graph.tensors) {
    if (IsShortLived(tensor, layers)) continue;
    largest_bytes =
        std::max(largest_bytes, RoundUpToPlacement(tensor.size_bytes));
  }
  int64_t short_lived_bytes = 0;
  for (int64_t bytes : ShortLivedBytes(graph, layers)) {
    short_lived_bytes = std::max(short_lived_bytes, bytes);
  }
  return short_lived_bytes + largest_bytes +
         RoundUpToPlacement(graph.unmanaged_peak_bytes);
}

}  // namespace stowage::policies
