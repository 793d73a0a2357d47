#include "client_sdk/torch/older_threads.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/record_function.h>

#include <memory>

#include "client_sdk/torch/hook.h"

namespace stowage::torch_plugin {
namespace {

using torch::jit::Stack;

// By now the dispatcher has chosen the operator's kernel without the hook. It
// chooses those of the operators that this one calls with it.
std::unique_ptr<at::ObserverContext> OnOperator(
    const at::RecordFunction& record) {
  if (HookedOnThread()) return nullptr;
  EnableHookOnThread();
  const auto name = record.operator_name();
  if (!name.has_value()) return nullptr;
  const auto op = c10::Dispatcher::singleton().findSchema(*name);
  if (!op.has_value()) return nullptr;
  const auto inputs = record.inputs();
  return BeginUnhookedOperator(*op, Stack(inputs.begin(), inputs.end()));
}

}  // namespace

void WatchOlderThreads() {
  at::addGlobalCallback(at::RecordFunctionCallback(OnOperator)
                            .needsInputs(true)
                            .scopes({at::RecordScope::FUNCTION}));
}

}  // namespace stowage::torch_plugin
