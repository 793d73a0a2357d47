#include "agents/jobs/planning/streamed_scratch.h"

#include <vector>

#include "agents/jobs/planning/whole_pages.h"

namespace stowage::agent {
namespace {

// Returns whether the tensor is born at a kernel that does not list it.
bool IsBornUnlisted(const v1::Tensor& tensor, int32_t index,
                    const std::vector<int32_t>& listed_at) {
  return !tensor.persistent() && listed_at[index] != tensor.birth_kernel();
}

// Returns by kernel the bytes of its operands and of what is born at it, in
// whole pages.
std::vector<int64_t> BytesByKernel(const v1::Graph& graph) {
  std::vector<int64_t> bytes(graph.kernels_size());
  // By tensor: the kernel of its birth, if that one lists it as an operand.
  std::vector<int32_t> listed_at(graph.tensors_size(), -1);
  for (int k = 0; k < graph.kernels_size(); ++k) {
    for (const v1::Operand& operand : graph.kernels(k).operands()) {
      const v1::Tensor& tensor = graph.tensors(operand.tensor());
      bytes[k] += WholePages(tensor.size_bytes());
      if (tensor.birth_kernel() == k) listed_at[operand.tensor()] = k;
    }
  }
  for (int t = 0; t < graph.tensors_size(); ++t) {
    const v1::Tensor& tensor = graph.tensors(t);
    if (IsBornUnlisted(tensor, t, listed_at)) {
      bytes[tensor.birth_kernel()] += WholePages(tensor.size_bytes());
    }
  }
  return bytes;
}

// Returns whether the kernel's scratch streamed when it was measured, and well:
// beside a window through which nothing was read twice there was no room for what
// did not stream. `bytes` are those of all that the kernel needs.
bool WasSeenToStream(const v1::Graph& graph, const v1::Kernel& kernel,
                     int64_t bytes, int64_t room_bytes) {
  for (const v1::Operand& operand : kernel.operands()) {
    if (!operand.streamed()) continue;
    bytes -= WholePages(graph.tensors(operand.tensor()).size_bytes());
  }
  const int64_t window_bytes = kernel.streamed().window_bytes();
  return window_bytes > 0 && bytes > room_bytes - window_bytes;
}

// Returns whether the kernel would have to stream an operand in which it jumps
// about if its scratch did not stream.
bool WouldJumpAbout(const v1::Graph& graph, const v1::Kernel& kernel,
                    int64_t bytes, int64_t room_bytes) {
  bool jumps = false;
  for (const v1::Operand& operand : kernel.operands()) {
    jumps = jumps || operand.scattered();
    if (operand.scattered()) continue;
    bytes -= WholePages(graph.tensors(operand.tensor()).size_bytes());
  }
  return jumps && bytes > room_bytes;
}

// Lets the kernel that the scratch is born at read and write it.
void MakeOperand(int32_t scratch, bool streamed, v1::Graph* graph) {
  v1::Tensor& tensor = *graph->mutable_tensors(scratch);
  tensor.set_kind(v1::TENSOR_KIND_ACTIVATION);
  v1::Operand& operand =
      *graph->mutable_kernels(tensor.birth_kernel())->add_operands();
  operand.set_tensor(scratch);
  operand.set_read(true);
  operand.set_write(true);
  operand.set_streamed(streamed);
}

}  // namespace

std::optional<v1::Graph> StreamScratch(const v1::Graph& graph,
                                       int64_t fast_limit_bytes,
                                       Scratch which) {
  const int64_t room_bytes = fast_limit_bytes - graph.unmanaged_peak_bytes();
  const std::vector<int64_t> bytes = BytesByKernel(graph);
  std::optional<v1::Graph> streamed;
  for (int t = 0; t < graph.tensors_size(); ++t) {
    const v1::Tensor& scratch = graph.tensors(t);
    const int32_t k = scratch.birth_kernel();
    if (scratch.kind() != v1::TENSOR_KIND_WORKSPACE || bytes[k] <= room_bytes) {
      continue;
    }
    const bool seen =
        WasSeenToStream(graph, graph.kernels(k), bytes[k], room_bytes);
    if (which == Scratch::kIfBetter && !seen &&
        !WouldJumpAbout(graph, graph.kernels(k), bytes[k], room_bytes)) {
      continue;
    }
    if (!streamed.has_value()) streamed = graph;
    MakeOperand(t, seen, &*streamed);
  }
  return streamed;
}

}  // namespace stowage::agent
