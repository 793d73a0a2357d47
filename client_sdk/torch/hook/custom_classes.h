// Sees the methods of classes that extensions register (`library.class_<>()`).
//
//   SeeCustomClass("__torch__.torch.classes.space.Optimizer");
//
// Such a method is C++ that takes the addresses of its tensors, and no operator.
// So it is replaced by one that announces its calls (extension_code.h), whether
// Python or TorchScript makes them. TorchScript that was compiled before goes on
// with the method itself, and so does a `torch::jit::Function*` that somebody
// holds. Thread-safe.
#ifndef STOWAGE_CLIENT_SDK_TORCH_HOOK_CUSTOM_CLASSES_H_
#define STOWAGE_CLIENT_SDK_TORCH_HOOK_CUSTOM_CLASSES_H_

#include <string>

namespace stowage::torch_plugin {

// Does so for the class of this name, once. Does nothing if there is none.
void SeeCustomClass(const std::string& name);

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_HOOK_CUSTOM_CLASSES_H_
