#include "policies/bound/bound_timeline.h"

#include <algorithm>

#include "policies/model/liveness.h"

namespace stowage::policies {
BoundTimeline MakeBoundTimeline(const Graph& graph,
                                const std::vector<double>& least_ns, int priced,
                                int blocks) {
  const KernelIndex kernels = graph.kernel_count();
  const Liveness liveness = ComputeLiveness(graph);
  double total_ns = 0;
  for (const double ns : least_ns) total_ns += std::max(0.0, ns);
  std::vector<bool> has_price(kernels + 1);
  const int chunks = std::min<int>(kernels, priced);
  for (int c = 0; c < chunks; ++c) {
    const auto begin = liveness.live_bytes.begin() +
                       static_cast<int64_t>(kernels) * c / chunks;
    const auto end = liveness.live_bytes.begin() +
                     static_cast<int64_t>(kernels) * (c + 1) / chunks;
    has_price[std::max_element(begin, end) - liveness.live_bytes.begin()] =
        true;
  }
  BoundTimeline timeline;
  const bool each_kernel = blocks > kernels;
  blocks = each_kernel ? 2 * (kernels + 1) : std::min<int>(blocks, kernels);
  timeline.busy_ns.resize(blocks);
  double now_ns = 0;
  for (KernelIndex k = 0; k <= kernels; ++k) {
    int block = blocks - 1;
    if (each_kernel) {
      block = 2 * k + 1;
    } else if (total_ns > 0) {
      block = std::min(block, static_cast<int>(blocks * now_ns / total_ns));
    }
    const bool new_slice = k == 0 || has_price[k] || has_price[k - 1] ||
                           timeline.block.back() != block;
    if (new_slice) {
      timeline.block.push_back(block);
      timeline.wait_block.push_back(each_kernel ? block - 1 : block);
      timeline.priced.push_back(has_price[k] ? timeline.priced_count++ : -1);
    }
    timeline.slice.push_back(static_cast<int>(timeline.block.size()) - 1);
    if (k == kernels) break;
    timeline.busy_ns[block] += least_ns[k];
    now_ns += std::max(0.0, least_ns[k]);
  }
  return timeline;
}

}  // namespace stowage::policies
