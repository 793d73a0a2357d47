#include "policies/search/annealing/residency_streams.h"

#include <utility>

#include "absl/algorithm/container.h"

namespace stowage::policies {
namespace {

bool IsFastAt(const std::vector<Residency>& residencies, KernelIndex k) {
  return absl::c_any_of(residencies, [&](const Residency& residency) {
    return residency.ready <= k && k < residency.end;
  });
}

}  // namespace

std::vector<Stream> StreamsOf(const Graph& graph,
                              const std::vector<Stream>& streams,
                              const ResidenciesByTensor& residencies) {
  std::vector<Stream> needed;
  for (const Stream& stream : streams) {
    Stream rest{.kernel = stream.kernel};
    for (const Operand& operand : graph.kernels[stream.kernel].operands) {
      if (IsFastAt(residencies[operand.tensor], stream.kernel)) continue;
      rest.tensors.push_back(operand.tensor);
    }
    if (!rest.tensors.empty()) needed.push_back(std::move(rest));
  }
  return needed;
}

}  // namespace stowage::policies
