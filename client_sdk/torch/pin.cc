#include "client_sdk/torch/pin.h"

#include <vector>

#include "client_sdk/torch/attached_job.h"

namespace stowage {
namespace {

// Returns null for a tensor without a storage.
void* StorageOf(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.has_storage()) return nullptr;
  return tensor.storage().unsafeGetStorageImpl();
}

}  // namespace

void Pin(const at::Tensor& tensor) {
  runtime::Job* job = AttachedJob();
  void* storage = StorageOf(tensor);
  if (job != nullptr && storage != nullptr) job->Pin(storage);
}

int64_t PinView(const at::Tensor& tensor) {
  runtime::Job* job = AttachedJob();
  void* storage = StorageOf(tensor);
  return job != nullptr && storage != nullptr ? job->PinView(storage) : 0;
}

int64_t Hold(const at::Tensor& tensor) {
  runtime::Job* job = AttachedJob();
  void* storage = StorageOf(tensor);
  return job != nullptr && storage != nullptr ? job->Hold(storage) : 0;
}

void TellAddress(int64_t storage, bool may_write) {
  runtime::Job* job = AttachedJob();
  if (job == nullptr) return;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  job->TellAddress(reinterpret_cast<void*>(storage), may_write);
}

void Unpin(int64_t view) {
  if (runtime::Job* job = AttachedJob()) job->Unpin(view);
}

void KeepFast(at::TensorList tensors, bool again) {
  runtime::Job* job = AttachedJob();
  if (job == nullptr) return;
  std::vector<void*> storages;
  for (const at::Tensor& tensor : tensors) {
    if (void* storage = StorageOf(tensor)) storages.push_back(storage);
  }
  job->KeepFast(storages, again);
}

}  // namespace stowage
