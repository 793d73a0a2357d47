// Lets the runtime work with PyTorch's storages.
//
//   runtime::Job job(&client, TorchStorageAccess(), {});
#ifndef STOWAGE_CLIENT_SDK_TORCH_STORAGE_HANDLE_H_
#define STOWAGE_CLIENT_SDK_TORCH_STORAGE_HANDLE_H_

#include "client_sdk/runtime/blocks/storage_access.h"

namespace stowage::torch_plugin {

// Returns functions whose `context` is a `c10::StorageImpl*`. A storage is
// movable while it lives and is resizable, or if it has no allocator that could
// resize it: `.numpy()`, which exposes the address, makes it non-resizable.
runtime::StorageAccess TorchStorageAccess();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_STORAGE_HANDLE_H_
