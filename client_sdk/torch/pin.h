// Keeps tensors where they are: those whose address becomes known outside
// PyTorch, and those that the user wants in fast memory.
//
//   Pin(tensor);
//   KeepFast({tensor}, /*again=*/false);
//
// Nothing happens in a process that has not attached.
#ifndef STOWAGE_CLIENT_SDK_TORCH_PIN_H_
#define STOWAGE_CLIENT_SDK_TORCH_PIN_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace stowage {

// Brings the tensor's storage into the fast tier, where it keeps its address
// from then on.
void Pin(const at::Tensor& tensor);

// The same, for as long as an array lives. Returns what Unpin() takes when it
// dies, 0 if the address stays known.
int64_t PinView(const at::Tensor& tensor);
void Unpin(int64_t view);

// Keeps the tensor's storage where it is until Unpin(), for something that
// forgets the address by then. Returns 0 if it stays anyway.
int64_t Hold(const at::Tensor& tensor);

// Notes that the address of a storage, whose own is given as Python has it, is
// about to be told, and perhaps written to before the next operator. The tensor
// may move during this call.
void TellAddress(int64_t storage, bool may_write);

// Keeps the tensors' storages in the fast tier from now on; their addresses may
// change. Throws if the limit has no room for all of them. `again` leaves out
// those that were refused.
void KeepFast(at::TensorList tensors, bool again);

}  // namespace stowage

#endif  // STOWAGE_CLIENT_SDK_TORCH_PIN_H_
