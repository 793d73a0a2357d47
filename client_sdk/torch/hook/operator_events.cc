#include "client_sdk/torch/hook/operator_events.h"

#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <memory>

#include "client_sdk/torch/hook/unhooked_operator.h"

namespace stowage::torch_plugin {
namespace {

using c10::DispatchKey;

// Returns whether a mode of Python's or of functorch's gets the operator, and
// calls operators on plain tensors if there is something to compute.
bool InMode() {
  return c10::impl::tls_local_dispatch_key_set().included_.has_any(
      c10::DispatchKeySet({DispatchKey::Python, DispatchKey::Functionalize,
                           DispatchKey::FuncTorchDynamicLayerFrontMode}));
}

std::unique_ptr<at::ObserverContext> OnBegin(const at::RecordFunction& record) {
  return InMode() ? nullptr : BeginUnhookedOperator(record);
}

}  // namespace

void WatchOperators() {
  at::addGlobalCallback(at::RecordFunctionCallback(OnBegin, EndUnhookedOperator)
                            .needsInputs(true)
                            .needsOutputs(true)
                            .scopes({at::RecordScope::FUNCTION}));
}

}  // namespace stowage::torch_plugin
