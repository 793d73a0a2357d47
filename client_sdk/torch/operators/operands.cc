#include "client_sdk/torch/operators/operands.h"

#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>
#include <c10/core/StorageImpl.h>

#include "client_sdk/torch/operators/scattered_arguments.h"

namespace stowage::torch_plugin {
namespace {

using torch::jit::Stack;

c10::StorageImpl* StorageOf(const at::Tensor& tensor) {
  return tensor.storage().unsafeGetStorageImpl();
}

bool IsCompressed(at::Layout layout) {
  return layout == at::kSparseCsr || layout == at::kSparseCsc ||
         layout == at::kSparseBsr || layout == at::kSparseBsc;
}

// Calls `visit` with the tensors that have the storages: with the tensor
// itself, or with the parts of a sparse one.
template <typename Visit>
void VisitTensor(const at::Tensor& tensor, Visit&& visit) {
  if (!tensor.defined()) return;
  if (tensor.has_storage()) {
    visit(tensor);
  } else if (tensor.layout() == at::kSparse) {
    const auto* sparse =
        static_cast<const at::SparseTensorImpl*>(tensor.unsafeGetTensorImpl());
    visit(sparse->indices());
    visit(sparse->values());
  } else if (IsCompressed(tensor.layout())) {
    auto* sparse =
        static_cast<at::SparseCsrTensorImpl*>(tensor.unsafeGetTensorImpl());
    visit(sparse->compressed_indices());
    visit(sparse->plain_indices());
    visit(sparse->values());
  }
}

bool IsPlain(const at::Tensor& tensor) {
  using c10::DispatchKey;
  const c10::DispatchKeySet wrappers(
      {DispatchKey::Python, DispatchKey::FuncTorchBatched,
       DispatchKey::FuncTorchGradWrapper, DispatchKey::Functionalize});
  return tensor.defined() && !tensor.is_meta() &&
         !tensor.key_set().has_any(wrappers);
}

// Calls `visit` with every tensor in the value.
template <typename Visit>
void ForEachTensor(const c10::IValue& value, Visit&& visit) {
  if (value.isTensor()) {
    visit(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) visit(tensor);
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) {
      if (element.isTensor()) visit(element.toTensor());
    }
  }
}

void AddStorages(const at::Tensor& tensor,
                 std::vector<c10::StorageImpl*>* storages) {
  VisitTensor(tensor, [storages](const at::Tensor& stored) {
    storages->push_back(StorageOf(stored));
  });
}

void AddStorage(runtime::Job* job, const at::Tensor& tensor, uint32_t flags,
                Operands* operands) {
  c10::StorageImpl* storage = StorageOf(tensor);
  const c10::StorageImpl& read_only = *storage;
  const void* address = read_only.data_ptr().get();
  if (address == nullptr || !job->Manages(address)) return;
  runtime::Block* block =
      job->BlockOf(storage, tensor.requires_grad() && tensor.is_leaf());
  if (block == nullptr) return;
  for (runtime::KernelOperand& operand : *operands) {
    if (operand.block != block) continue;
    operand.flags |= flags;
    ++operand.access_count;
    return;
  }
  operands->push_back({block, flags});
}

}  // namespace

void AddOperand(runtime::Job* job, const at::Tensor& tensor, uint32_t flags,
                Operands* operands) {
  VisitTensor(tensor, [&](const at::Tensor& stored) {
    AddStorage(job, stored, flags, operands);
  });
}

Operands InputsOf(runtime::Job* job, const OperatorInfo& info,
                  const Stack& stack, size_t first) {
  Operands operands;
  const ScatteredArguments scattered(info, stack, first);
  for (size_t i = first; i < stack.size(); ++i) {
    const uint32_t flags =
        session::kOperandRead |
        (info.writes[i - first] ? session::kOperandWrite : 0u);
    ForEachTensor(stack[i], [&](const at::Tensor& tensor) {
      AddOperand(
          job, tensor,
          flags | (scattered.Has(tensor) ? session::kOperandScattered : 0u),
          &operands);
    });
  }
  return operands;
}

Operands OutputsOf(runtime::Job* job, const Stack& stack, size_t count) {
  Operands operands;
  for (size_t i = stack.size() - count; i < stack.size(); ++i) {
    ForEachTensor(stack[i], [&](const at::Tensor& tensor) {
      AddOperand(job, tensor, session::kOperandWrite, &operands);
    });
  }
  return operands;
}

std::vector<at::Tensor> PlainTensorsOf(const Stack& stack, size_t count) {
  std::vector<at::Tensor> tensors;
  for (size_t i = stack.size() - count; i < stack.size(); ++i) {
    ForEachTensor(stack[i], [&tensors](const at::Tensor& tensor) {
      if (IsPlain(tensor)) tensors.push_back(tensor);
    });
  }
  return tensors;
}

bool HasPlainTensorsOnly(const Stack& stack) {
  bool plain = true;
  for (const c10::IValue& value : stack) {
    ForEachTensor(value, [&plain](const at::Tensor& tensor) {
      if (tensor.defined() && !IsPlain(tensor)) plain = false;
    });
  }
  return plain;
}

std::vector<c10::StorageImpl*> StoragesOf(const Stack& stack, size_t first) {
  std::vector<c10::StorageImpl*> storages;
  for (size_t i = first; i < stack.size(); ++i) {
    ForEachTensor(stack[i], [&storages](const at::Tensor& tensor) {
      AddStorages(tensor, &storages);
    });
  }
  return storages;
}

std::vector<c10::StorageImpl*> StoragesOf(at::TensorList tensors) {
  std::vector<c10::StorageImpl*> storages;
  for (const at::Tensor& tensor : tensors) AddStorages(tensor, &storages);
  return storages;
}

}  // namespace stowage::torch_plugin
