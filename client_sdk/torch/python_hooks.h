// What an attached Python process needs besides the plug-in: pinning of exposed
// tensors, hooks on new threads. No Python headers or libraries are involved.
#ifndef STOWAGE_CLIENT_SDK_TORCH_PYTHON_HOOKS_H_
#define STOWAGE_CLIENT_SDK_TORCH_PYTHON_HOOKS_H_

namespace stowage::torch_plugin {

// Where the process is a Python interpreter: lets it run stowage's install() in
// its main thread at the next bytecode. $STOWAGE_PYTHON names the directory of
// the package. Elsewhere it does nothing.
void InstallPythonHooks();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_PYTHON_HOOKS_H_
