#include "policies/search/annealing/segment_streams.h"

#include <utility>

#include "absl/algorithm/container.h"

namespace stowage {
namespace {

bool IsFastAt(const std::vector<FastSegment>& stays, KernelIndex k) {
  return absl::c_any_of(stays, [&](const FastSegment& stay) {
    return stay.ready <= k && k < stay.end;
  });
}

}  // namespace

std::vector<Stream> StreamsOf(const Graph& graph,
                              const std::vector<Stream>& streams,
                              const StaysByTensor& stays) {
  std::vector<Stream> needed;
  for (const Stream& stream : streams) {
    Stream rest{.kernel = stream.kernel};
    for (const Operand& operand : graph.kernels[stream.kernel].operands) {
      if (IsFastAt(stays[operand.tensor], stream.kernel)) continue;
      rest.tensors.push_back(operand.tensor);
    }
    if (!rest.tensors.empty()) needed.push_back(std::move(rest));
  }
  return needed;
}

}  // namespace stowage
