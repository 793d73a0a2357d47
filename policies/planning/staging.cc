#include "policies/planning/staging.h"

#include <algorithm>
#include <tuple>

namespace stowage {

std::vector<FastSegment> ImmovableSegments(const Graph& graph) {
  std::vector<FastSegment> segments = AllFastSegments(graph);
  std::erase_if(segments, [&](const FastSegment& segment) {
    return graph.tensors[segment.tensor].movable();
  });
  return segments;
}

std::vector<FastSegment> StagedSegments(const Graph& graph,
                                        const Workload& workload) {
  std::vector<FastSegment> segments = ImmovableSegments(graph);
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    for (TensorIndex t : workload.staged[k]) {
      const Tensor& tensor = graph.tensors[t];
      if (!tensor.movable()) continue;
      FastSegment segment{t, k, k, k + 1, k + 1};
      segment.moved_in = tensor.persistent || tensor.birth_kernel != k;
      segment.moved_out = tensor.persistent || tensor.death_kernel != k;
      segments.push_back(segment);
    }
  }
  std::sort(segments.begin(), segments.end(),
            [](const FastSegment& a, const FastSegment& b) {
              return std::tie(a.tensor, a.begin) < std::tie(b.tensor, b.begin);
            });
  return segments;
}

}  // namespace stowage
