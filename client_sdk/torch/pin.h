// Pinning of tensors whose address becomes known outside PyTorch.
#ifndef STOWAGE_CLIENT_SDK_TORCH_PIN_H_
#define STOWAGE_CLIENT_SDK_TORCH_PIN_H_

#include <ATen/core/Tensor.h>

namespace stowage {

// This process has attached to an agent.
bool Attached();

// The tensor's storage is brought into the fast tier, to an address at which it
// stays from then on.
void Pin(const at::Tensor& tensor);

}  // namespace stowage

#endif  // STOWAGE_CLIENT_SDK_TORCH_PIN_H_
