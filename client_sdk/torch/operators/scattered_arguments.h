// Finds the arguments of an operator that it jumps about in. They stream badly, so
// that others should, if all do not fit.
//
//   const ScatteredArguments scattered(info, stack, first);
//   const at::Tensor& tensor = stack[first].toTensor();
//   const bool jumps = scattered.Has(tensor);
//
// An element-wise operator goes through its operands in the order of the first
// one, and so down the columns of those that are transposed beside it. What is
// read by indices, given as such or by a sparse tensor, is read in any order.
// Products divide their factors into blocks, whatever their order, but copy some.
//
// Valid while the stack keeps its arguments. Not thread-safe.
#ifndef STOWAGE_CLIENT_SDK_TORCH_OPERATORS_SCATTERED_ARGUMENTS_H_
#define STOWAGE_CLIENT_SDK_TORCH_OPERATORS_SCATTERED_ARGUMENTS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <cstddef>

#include "client_sdk/torch/operators/operator_info.h"

namespace stowage::torch_plugin {

class ScatteredArguments {
 public:
  // The operator's arguments are on the stack, from `first` on.
  ScatteredArguments(const OperatorInfo& info, const torch::jit::Stack& stack,
                     size_t first);

  // Returns whether the operator jumps about in the tensor, which is one of them.
  bool Has(const at::Tensor& tensor) const;

 private:
  const at::Tensor* indexed_ = nullptr;  // by other arguments
  const at::Tensor* leading_ = nullptr;  // in whose order the others are used
  bool has_sparse_ = false;
  bool multiplies_ = false;
};

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_OPERATORS_SCATTERED_ARGUMENTS_H_
