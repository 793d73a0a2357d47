#include "client_sdk/torch/hook/older_threads.h"

#include <ATen/record_function.h>

#include <memory>

#include "client_sdk/torch/hook/hook.h"
#include "client_sdk/torch/hook/unhooked_operator.h"

namespace stowage::torch_plugin {
namespace {

// By now the dispatcher has chosen the operator's kernel without the hook. It
// chooses those of the operators that this one calls with it.
std::unique_ptr<at::ObserverContext> OnOperator(
    const at::RecordFunction& record) {
  if (HookedOnThread()) return nullptr;
  EnableHookOnThread();
  return BeginUnhookedOperator(record);
}

}  // namespace

void WatchOlderThreads() {
  at::addGlobalCallback(at::RecordFunctionCallback(OnOperator)
                            .needsInputs(true)
                            .scopes({at::RecordScope::FUNCTION}));
}

}  // namespace stowage::torch_plugin
