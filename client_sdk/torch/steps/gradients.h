// Tells what an operator that is about to run has to do with gradients.
//
//   const bool forward = RecordedGradients() && !InBackwardPass();
//   if (BackwardPassBegins()) marker.BackwardBegins();
#ifndef STOWAGE_CLIENT_SDK_TORCH_STEPS_GRADIENTS_H_
#define STOWAGE_CLIENT_SDK_TORCH_STEPS_GRADIENTS_H_

namespace stowage::torch_plugin {

// Returns whether autograd runs a backward pass on this thread.
bool InBackwardPass();

// Returns whether it has begun one since the last call. A pass within another,
// in which a part of the network is computed again, is none of its own.
bool BackwardPassBegins();

// Returns whether autograd has recorded something on this thread since the last
// call of either function. Kernels of torch.compile ask before they run: they
// run within a custom function, which has recorded itself.
bool RecordedNode();

// Returns whether that was for a backward pass that may come. Every operator
// asks before it runs, when autograd has recorded it.
bool RecordedGradients();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_STEPS_GRADIENTS_H_
