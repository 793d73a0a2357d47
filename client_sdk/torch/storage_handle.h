// PyTorch's storages as the runtime sees them.
#ifndef STOWAGE_CLIENT_SDK_TORCH_STORAGE_HANDLE_H_
#define STOWAGE_CLIENT_SDK_TORCH_STORAGE_HANDLE_H_

#include "client_sdk/runtime/storage_access.h"

namespace stowage::torch_plugin {

// A handle's `context` is a `c10::StorageImpl*`. A storage is movable while it
// lives and is resizable: `.numpy()` makes it non-resizable when it exposes the
// address.
runtime::StorageAccess TorchStorageAccess();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_STORAGE_HANDLE_H_
