#include "client_sdk/torch/storage_handle.h"

#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>

#include "client_sdk/torch/allocator.h"

namespace stowage::torch_plugin {
namespace {

using Weak = c10::weak_intrusive_ptr<c10::StorageImpl>;

Weak* AsWeak(void* handle) { return static_cast<Weak*>(handle); }

// Returns false for a storage that torch.load() made: it never was resizable.
bool HasAllocator(const c10::StorageImpl& storage) {
  return storage.allocator() != nullptr;
}

bool Movable(void* handle) {
  auto storage = AsWeak(handle)->lock();
  return storage && (storage->resizable() || !HasAllocator(*storage)) &&
         IsManaged(storage->data_ptr());
}

void MakeMovable(void* handle) {
  auto storage = AsWeak(handle)->lock();
  if (storage && HasAllocator(*storage)) storage->set_resizable(true);
}

bool SetAddress(void* handle, void* from, void* to) {
  auto storage = AsWeak(handle)->lock();
  if (!storage || storage->data_ptr().get() != from) return false;
  storage->set_data_ptr(ManagedDataPtr(to)).release_context();
  return true;
}

void* Address(void* context) {
  return static_cast<c10::StorageImpl*>(context)->data_ptr().get();
}

bool RefersTo(void* handle, void* context) {
  return AsWeak(handle)->_unsafe_get_target() == context;
}

void* MakeHandle(void* context) {
  return new Weak(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(
      static_cast<c10::StorageImpl*>(context)));
}

void Release(void* handle) { delete AsWeak(handle); }

}  // namespace

runtime::StorageAccess TorchStorageAccess() {
  return {.movable = Movable,
          .make_movable = MakeMovable,
          .set_address = SetAddress,
          .address = Address,
          .refers_to = RefersTo,
          .make_handle = MakeHandle,
          .release = Release};
}

}  // namespace stowage::torch_plugin
