// Pins tensors whose address becomes known outside PyTorch.
//
//   if (Attached()) Pin(tensor);
#ifndef STOWAGE_CLIENT_SDK_TORCH_PIN_H_
#define STOWAGE_CLIENT_SDK_TORCH_PIN_H_

#include <ATen/core/Tensor.h>

namespace stowage {

// Returns whether this process has attached to an agent.
bool Attached();

// Brings the tensor's storage into the fast tier, where it keeps its address
// from then on.
void Pin(const at::Tensor& tensor);

// The same, for as long as an array lives. Returns what Unpin() takes when it
// dies, 0 if the address stays known.
int64_t PinView(const at::Tensor& tensor);
void Unpin(int64_t view);

}  // namespace stowage

#endif  // STOWAGE_CLIENT_SDK_TORCH_PIN_H_
