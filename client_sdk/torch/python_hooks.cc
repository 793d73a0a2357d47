#include "client_sdk/torch/python_hooks.h"

#include <dlfcn.h>
#include <stdlib.h>

namespace stowage::torch_plugin {
namespace {

using RunString = int (*)(const char*, void*);
using AddPendingCall = int (*)(int (*)(void*), void*);

constexpr char kInstall[] = R"(
def _stowage_install():
    import os, sys
    directory = os.environ["STOWAGE_PYTHON"]
    sys.path.insert(0, directory)
    try:
        import stowage._attach
        stowage._attach.install()
    except Exception as error:
        print("stowage: Python code of this process cannot be watched, so tensors "
              "might move while it uses them:", error, file=sys.stderr, flush=True)
        os._exit(78)
    finally:
        sys.path.remove(directory)
_stowage_install()
del _stowage_install
)";

int RunInstall(void*) {
  auto run = reinterpret_cast<RunString>(
      dlsym(RTLD_DEFAULT, "PyRun_SimpleStringFlags"));
  if (run != nullptr) run(kInstall, nullptr);
  return 0;
}

}  // namespace

void InstallPythonHooks() {
  auto add = reinterpret_cast<AddPendingCall>(
      dlsym(RTLD_DEFAULT, "Py_AddPendingCall"));
  if (add != nullptr && getenv("STOWAGE_PYTHON") != nullptr) {
    add(RunInstall, nullptr);
  }
}

}  // namespace stowage::torch_plugin
