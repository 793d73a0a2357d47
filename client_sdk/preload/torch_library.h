// Finds PyTorch in this process.
//
//   if (const char* path = C10Path()) dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
//
// Thread-safe, and allocates nothing.
#ifndef STOWAGE_CLIENT_SDK_PRELOAD_TORCH_LIBRARY_H_
#define STOWAGE_CLIENT_SDK_PRELOAD_TORCH_LIBRARY_H_

namespace stowage::preload {

// Returns the path of the loaded libc10.so, which every PyTorch has; null where
// there is none.
const char* C10Path();

}  // namespace stowage::preload

#endif  // STOWAGE_CLIENT_SDK_PRELOAD_TORCH_LIBRARY_H_
