// What differs between the versions of PyTorch that the plug-in builds against:
// Debian 12's 1.13, and 2.6 to 2.15.
//
//   c10::DataPtr allocate(size_t bytes) STOWAGE_ALLOCATE_CONST override;
#ifndef STOWAGE_CLIENT_SDK_TORCH_TORCH_VERSION_H_
#define STOWAGE_CLIENT_SDK_TORCH_TORCH_VERSION_H_

#include <torch/version.h>

#if TORCH_VERSION_MAJOR >= 2
#define STOWAGE_ALLOCATE_CONST
#define STOWAGE_ALLOCATORS_COPY 1
#else
#define STOWAGE_ALLOCATE_CONST const
#define STOWAGE_ALLOCATORS_COPY 0
#endif

#endif  // STOWAGE_CLIENT_SDK_TORCH_TORCH_VERSION_H_
