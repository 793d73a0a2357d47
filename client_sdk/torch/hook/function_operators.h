// Sees operators of extensions that run before the hook's turn comes.
//
//   WatchFunctionOperators();   // once, when the process attaches
//   SeeNewFunctionOperators();  // before each kernel
//
// An operator that is nothing but a function (`library.def("name", &function)`,
// as those of torch_scatter are) is to PyTorch a composite of others: autograd
// calls the function, and the hook, which stands below, does not see it. The
// function may take addresses all the same. So each such operator gets a kernel
// of autograd for processors, which announces the call (extension_code.h).
// Whoever calls the operator, Python, TorchScript or C++, comes by.
//
// PyTorch tells of an operator before it has the function, and must not be asked
// to change an operator while it tells. So operators wait until the next kernel
// or until Python asks for one.
//
// Thread-safe.
#ifndef STOWAGE_CLIENT_SDK_TORCH_HOOK_FUNCTION_OPERATORS_H_
#define STOWAGE_CLIENT_SDK_TORCH_HOOK_FUNCTION_OPERATORS_H_

namespace stowage::torch_plugin {

// Watches operators that there are, and those that will be. Call it once.
void WatchFunctionOperators();

// Sees those that were registered since the last call. Cheap where there are
// none.
void SeeNewFunctionOperators();

// Sees, too, those that had no function then.
void SeeAllFunctionOperators();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_HOOK_FUNCTION_OPERATORS_H_
