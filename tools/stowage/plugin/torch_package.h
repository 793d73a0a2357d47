// Finds a PyTorch that pip has installed, without importing it.
//
//   absl::StatusOr<std::string> directory = FindTorch("/venv/bin/python3");
//   absl::StatusOr<TorchPackage> torch = ReadTorch(*directory);
#ifndef STOWAGE_TOOLS_STOWAGE_PLUGIN_TORCH_PACKAGE_H_
#define STOWAGE_TOOLS_STOWAGE_PLUGIN_TORCH_PACKAGE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace stowage::cli {

struct TorchPackage {
  std::string directory;  // of the package, or of LibTorch
  std::string version;    // the public part: "2.15.0"
};

// Returns the directory of the package `torch` that the interpreter imports.
// NOT_FOUND: there is no such interpreter, or it has no PyTorch. Blocks until
// the interpreter has answered.
absl::StatusOr<std::string> FindTorch(const std::string& python);

// Returns what is in the directory. FAILED_PRECONDITION: it is the
// distribution's, whose plug-in is installed with Stowage. NOT_FOUND: it is no
// PyTorch.
absl::StatusOr<TorchPackage> ReadTorch(const std::string& directory);

// Returns OK for the versions that the plug-in is tested with, and
// UNIMPLEMENTED, which names them, for any other.
absl::Status CheckSupported(const TorchPackage& torch);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_PLUGIN_TORCH_PACKAGE_H_
