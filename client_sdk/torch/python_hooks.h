// Installs what an attached Python process needs besides the plug-in: it pins
// exposed tensors and hooks new threads. Needs no Python headers or libraries.
//
//   InstallPythonHooks();  // after Attach()
#ifndef STOWAGE_CLIENT_SDK_TORCH_PYTHON_HOOKS_H_
#define STOWAGE_CLIENT_SDK_TORCH_PYTHON_HOOKS_H_

namespace stowage::torch_plugin {

// Lets a Python interpreter run stowage's install() in its main thread at the
// next bytecode. $STOWAGE_PYTHON names the directory of the package. Does
// nothing in any other process. Ends the process with 78 if it fails: tensors
// would move while code that nobody sees uses them.
void InstallPythonHooks();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_PYTHON_HOOKS_H_
