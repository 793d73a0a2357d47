// Makes kernels of operators that the hook's key does not see, from PyTorch's
// records of them.
//
//   at::addGlobalCallback(at::RecordFunctionCallback(BeginUnhookedOperator,
//                                                    EndUnhookedOperator)
//                             .needsInputs(true)
//                             .needsOutputs(true));
#ifndef STOWAGE_CLIENT_SDK_TORCH_HOOK_UNHOOKED_OPERATOR_H_
#define STOWAGE_CLIENT_SDK_TORCH_HOOK_UNHOOKED_OPERATOR_H_

#include <ATen/record_function.h>

#include <memory>

namespace stowage::torch_plugin {

// Begins the kernel of an operator that the hook's key does not see, from a
// record with inputs. The kernel ends with what this returns, which is null if
// the operator is no kernel by itself or runs within another. ThrowKeptError()
// throws errors.
std::unique_ptr<at::ObserverContext> BeginUnhookedOperator(
    const at::RecordFunction& record);

// Tells its results, from a record with outputs. `begun` is what the above has
// returned, and is destroyed next. It is null for an operator within another,
// whose results can move when that one has ended, if only autograd keeps them.
void EndUnhookedOperator(const at::RecordFunction& record,
                         at::ObserverContext* begun);

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_HOOK_UNHOOKED_OPERATOR_H_
