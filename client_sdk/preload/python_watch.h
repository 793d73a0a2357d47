// Has a Python process find the package stowage, and announce the C++ extensions
// that it loads (client_sdk/python/stowage/_extensions.py).
//
//   WatchPython();  // whenever the process reads a file
//
// A script may import an extension, and keep its functions, before there is a
// tensor and so before the plug-in comes (load_plugin.cc). Nobody can stand in
// front of a function that a script has already. So this happens when PyTorch's
// library for Python has been loaded, while the script still imports PyTorch, and
// Python reads one file after the other. The package can be imported before
// that, from the first line of a script on.
#ifndef STOWAGE_CLIENT_SDK_PRELOAD_PYTHON_WATCH_H_
#define STOWAGE_CLIENT_SDK_PRELOAD_PYTHON_WATCH_H_

namespace stowage::preload {

// Lets the interpreter's main thread find the package at its next bytecode, behind
// all that the script's user has installed, and watch imports if PyTorch has been
// loaded since the last call; does each once. Cheap. Thread-safe.
void WatchPython();

}  // namespace stowage::preload

#endif  // STOWAGE_CLIENT_SDK_PRELOAD_PYTHON_WATCH_H_
