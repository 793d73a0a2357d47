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

}  // namespace

std::optional<v1::Graph> StreamScratch(const v1::Graph& graph,
                                       int64_t fast_limit_bytes) {
  const int64_t room_bytes = fast_limit_bytes - graph.unmanaged_peak_bytes();
  const std::vector<int64_t> bytes = BytesByKernel(graph);
  std::optional<v1::Graph> streamed;
  for (int t = 0; t < graph.tensors_size(); ++t) {
    const v1::Tensor& scratch = graph.tensors(t);
    if (scratch.kind() != v1::TENSOR_KIND_WORKSPACE ||
        bytes[scratch.birth_kernel()] <= room_bytes) {
      continue;
    }
    if (!streamed.has_value()) streamed = graph;
    streamed->mutable_tensors(t)->set_kind(v1::TENSOR_KIND_ACTIVATION);
    v1::Operand* operand =
        streamed->mutable_kernels(scratch.birth_kernel())->add_operands();
    operand->set_tensor(t);
    operand->set_read(true);
    operand->set_write(true);
  }
  return streamed;
}

}  // namespace stowage::agent
