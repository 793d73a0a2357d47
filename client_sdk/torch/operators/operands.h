// Finds the blocks behind the tensors that a kernel reads and writes.
//
//   std::vector<runtime::KernelOperand> operands;
//   AddOperand(&job, tensor, session::kOperandRead, &operands);
//
// Thread-safe.
#ifndef STOWAGE_CLIENT_SDK_TORCH_OPERATORS_OPERANDS_H_
#define STOWAGE_CLIENT_SDK_TORCH_OPERATORS_OPERANDS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "client_sdk/runtime/job.h"
#include "client_sdk/torch/operators/operator_info.h"

namespace stowage::torch_plugin {

using Operands = std::vector<runtime::KernelOperand>;

// Adds the managed blocks of the tensor, once each: its own, or those of the
// parts of a sparse one. A tensor that is opaque to PyTorch has none.
void AddOperand(runtime::Job* job, const at::Tensor& tensor, uint32_t flags,
                Operands* operands);

// Returns the operands of an operator: its arguments on the stack, from `first`
// on.
Operands InputsOf(runtime::Job* job, const OperatorInfo& info,
                  const torch::jit::Stack& stack, size_t first);

// Returns the operands among the last `count` values of the stack, which an
// operator has returned.
Operands OutputsOf(runtime::Job* job, const torch::jit::Stack& stack,
                   size_t count);

// Returns the tensors among the last `count` values of the stack that have
// memory of their own, as no wrapper of others has.
std::vector<at::Tensor> PlainTensorsOf(const torch::jit::Stack& stack,
                                       size_t count);

// Returns whether no tensor on the stack wraps others or has only a shape.
bool HasPlainTensorsOnly(const torch::jit::Stack& stack);

// Return the storages of an operator's arguments, and those of tensors.
std::vector<c10::StorageImpl*> StoragesOf(const torch::jit::Stack& stack,
                                          size_t first);
std::vector<c10::StorageImpl*> StoragesOf(at::TensorList tensors);

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_OPERATORS_OPERANDS_H_
