#include "client_sdk/torch/gradients.h"

#include <ATen/SequenceNumber.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace stowage::torch_plugin {
namespace {

constexpr std::string_view kBackwardRoot = "aten::ones_like";

bool RequiresGradient(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() &&
         value.toTensor().requires_grad();
}

}  // namespace

bool StartsBackward(const OperatorInfo& info, const torch::jit::Stack& stack,
                    size_t first_argument) {
  return info.name == kBackwardRoot && first_argument < stack.size() &&
         RequiresGradient(stack[first_argument]) &&
         stack[first_argument].toTensor().numel() == 1;
}

// Every node of the graph that autograd builds takes the thread's next sequence
// number. Operators that have no derivative make none, nor do those that run
// without gradients; but custom functions make one in either mode.
bool RecordedNode() {
  thread_local uint64_t seen = 0;
  const uint64_t before = std::exchange(seen, at::sequence_number::peek());
  return before != seen;
}

bool RecordedGradients() {
  return RecordedNode() && c10::GradMode::is_enabled();
}

}  // namespace stowage::torch_plugin
