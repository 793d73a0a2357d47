#include "tools/stowage/import/roofline.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"

namespace stowage::cli {
namespace {

using Shape = std::vector<int64_t>;

double Product(const Shape& shape) {
  double product = 1;
  for (int64_t extent : shape) product *= static_cast<double>(extent);
  return product;
}

Shape ShapeAt(const std::vector<TraceArgument>& arguments, size_t index) {
  return index < arguments.size() ? arguments[index].shape : Shape();
}

// Returns the FLOPs of [.., m, k] x [.., k, n]: 2 m k n for each of the leading
// extents.
double MatrixProductFlops(const Shape& a, const Shape& b) {
  if (a.size() < 2 || b.size() < 2) return 0;
  return 2 * Product(a) * static_cast<double>(b.back());
}

// Returns the FLOPs of a convolution. `weight` is [c_out, c_in / groups, ...].
double ConvolutionFlops(const Shape& output, const Shape& weight) {
  if (output.empty() || weight.empty() || weight[0] <= 0) return 0;
  return 2 * Product(output) * Product(weight) / static_cast<double>(weight[0]);
}

double NodeFlops(const TraceNode& node) {
  const auto in = [&](size_t i) { return ShapeAt(node.inputs, i); };
  const std::string& name = node.name;
  if (name == "aten::mm" || name == "aten::bmm") {
    return MatrixProductFlops(in(0), in(1));
  }
  if (name == "aten::addmm" || name == "aten::baddbmm") {
    return MatrixProductFlops(in(1), in(2));
  }
  if (name == "aten::convolution_backward") {
    return 2 * ConvolutionFlops(in(0), in(2));
  }
  if (absl::StartsWith(name, "aten::conv")) {
    return ConvolutionFlops(ShapeAt(node.outputs, 0), in(1));
  }
  return 0;
}

}  // namespace

int64_t RooflineDurationNs(int64_t flops, double bytes) {
  constexpr double kMostNs = 1e18;
  const double seconds =
      std::max(static_cast<double>(flops) / kRooflineFlopsPerSecond,
               bytes / kRooflineBytesPerSecond);
  return kRooflineLaunchNs +
         static_cast<int64_t>(std::min(seconds * 1e9, kMostNs));
}

int64_t CallFlops(const ExecutionTrace& trace, const OperatorCall& call) {
  constexpr double kMost = 1e18;
  double flops = NodeFlops(trace.nodes[call.node]);
  for (int node : call.inner) {
    flops = std::max(flops, NodeFlops(trace.nodes[node]));
  }
  // Without bound times nothing is not a number.
  if (!(flops > 0)) return 0;
  return static_cast<int64_t>(std::min(flops, kMost));
}

}  // namespace stowage::cli
