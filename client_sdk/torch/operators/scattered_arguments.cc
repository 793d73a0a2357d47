#include "client_sdk/torch/operators/scattered_arguments.h"

namespace stowage::torch_plugin {
namespace {

using torch::jit::Stack;

bool IsSparse(const at::Tensor& tensor) {
  return tensor.layout() != at::kStrided && tensor.layout() != at::kMkldnn;
}

// Returns whether the tensor's sizes and strides say where its elements are.
bool HasStrides(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && tensor.has_storage() &&
         !tensor.is_nested() && !tensor.key_set().has(c10::DispatchKey::Python);
}

// Returns whether the order of the tensors' dimensions in memory differs. They
// have the same sizes.
bool DiffersInOrder(const at::Tensor& a, const at::Tensor& b) {
  for (int64_t i = 0; i < a.dim(); ++i) {
    for (int64_t j = i + 1; j < a.dim(); ++j) {
      if (a.size(i) == 1 || a.size(j) == 1) continue;
      const int64_t a_falls = a.stride(i) - a.stride(j);
      const int64_t b_falls = b.stride(i) - b.stride(j);
      if ((a_falls > 0 && b_falls < 0) || (a_falls < 0 && b_falls > 0)) {
        return true;
      }
    }
  }
  return false;
}

// Returns whether a product may have to lay out its factor anew: one matrix for
// all of a batch, column by column.
bool IsCopied(const at::Tensor& factor) {
  return HasStrides(factor) && factor.dim() == 3 && factor.stride(0) == 0 &&
         factor.stride(1) < factor.stride(2);
}

}  // namespace

ScatteredArguments::ScatteredArguments(const OperatorInfo& info,
                                       const Stack& stack, size_t first) {
  for (size_t i = first; i < stack.size(); ++i) {
    if (!stack[i].isTensor() || !stack[i].toTensor().defined()) continue;
    const at::Tensor& tensor = stack[i].toTensor();
    if (IsSparse(tensor)) has_sparse_ = true;
    if (info.reads_by_indices && i == first) indexed_ = &tensor;
    if (leading_ == nullptr && tensor.dim() > 1 && HasStrides(tensor)) {
      leading_ = &tensor;
    }
  }
  multiplies_ = info.flops != OperatorInfo::Flops::kUnknown;
  if (multiplies_ || info.works_on_copy) leading_ = nullptr;
}

bool ScatteredArguments::Has(const at::Tensor& tensor) const {
  if (!tensor.defined() || IsSparse(tensor)) return false;
  if (has_sparse_ || &tensor == indexed_) return true;
  if (multiplies_) return IsCopied(tensor);
  if (leading_ == nullptr || &tensor == leading_ || !HasStrides(tensor)) {
    return false;
  }
  return tensor.sizes() == leading_->sizes() &&
         DiffersInOrder(tensor, *leading_);
}

}  // namespace stowage::torch_plugin
