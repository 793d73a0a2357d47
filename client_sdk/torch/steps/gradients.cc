#include "client_sdk/torch/steps/gradients.h"

#include <ATen/SequenceNumber.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/graph_task.h>

#include <cstdint>
#include <utility>

namespace stowage::torch_plugin {

bool InBackwardPass() {
  return torch::autograd::get_current_graph_task_exec_info() != nullptr;
}

bool BackwardPassBegins() {
  thread_local bool was_in_pass = false;
  const bool in_pass = InBackwardPass();
  return !std::exchange(was_in_pass, in_pass) && in_pass;
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
