#include "client_sdk/preload/python_watch.h"

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

namespace stowage::preload {
namespace {

using AddPendingCall = int (*)(int (*)(void*), void*);
using IsInitialized = int (*)();
using RunString = int (*)(const char*, void*);

constexpr char kTorchForPython[] = "/libtorch_python.so";

// The finder comes behind all others, so that a package that the script's user
// has installed is the one that is imported. This may run while os is imported.
constexpr char kFind[] = R"(
def _stowage_find():
    import posix, sys
    directory = posix.environ[b"STOWAGE_PYTHON"].decode()
    class StowageFinder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name == "stowage":
                from importlib.machinery import PathFinder
                return PathFinder.find_spec(name, [directory])
    sys.meta_path.append(StowageFinder)
_stowage_find()
del _stowage_find
)";

constexpr char kWatch[] = R"(
def _stowage_watch():
    import importlib.util, os, sys
    directory = os.environ["STOWAGE_PYTHON"]
    name = "stowage._extensions"
    path = os.path.join(directory, *name.split(".")) + ".py"
    try:
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
        sys.modules[name].watch()
    except Exception:
        sys.modules.pop(name, None)  # the plug-in tries again, and says what failed
_stowage_watch()
del _stowage_watch
)";

template <typename Function>
Function Find(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

bool WillWatch() {
  return getenv("STOWAGE_PYTHON") != nullptr &&
         Find<AddPendingCall>("Py_AddPendingCall") != nullptr;
}

std::atomic<bool> g_waiting{WillWatch()};
std::atomic<bool> g_package_found{false};
// A forked child must not ask: another thread may have been loading a library.
const pid_t kProcess = getpid();
std::atomic<uint64_t> g_known_loads{0};

// A look at what this process has loaded.
struct Look {
  uint64_t known_loads;  // at the last look
  uint64_t loads;
  bool found;
};

// Stops at once if nothing has been loaded since.
int FindTorch(dl_phdr_info* info, size_t, void* data) {
  auto* look = static_cast<Look*>(data);
  look->loads = info->dlpi_adds;
  if (look->loads == look->known_loads) return 1;
  const char* name = strrchr(info->dlpi_name, '/');
  look->found = name != nullptr &&
                strncmp(name, kTorchForPython, strlen(kTorchForPython)) == 0;
  return look->found ? 1 : 0;
}

int Run(const char* code) {
  const auto run = Find<RunString>("PyRun_SimpleStringFlags");
  if (run != nullptr) run(code, nullptr);
  return 0;
}

int RunFind(void*) { return Run(kFind); }
int RunWatch(void*) { return Run(kWatch); }

void AtNextBytecode(int (*call)(void*)) {
  const auto add = Find<AddPendingCall>("Py_AddPendingCall");
  if (add != nullptr) add(call, nullptr);
}

// Returns whether there is an interpreter that can find the package, now or at
// its next bytecode.
bool LetPackageBeFound() {
  if (g_package_found.load(std::memory_order_relaxed)) return true;
  const auto initialized = Find<IsInitialized>("Py_IsInitialized");
  if (initialized == nullptr || initialized() == 0) return false;
  if (!g_package_found.exchange(true)) AtNextBytecode(RunFind);
  return true;
}

}  // namespace

void WatchPython() {
  if (!g_waiting.load(std::memory_order_relaxed) || getpid() != kProcess) {
    return;
  }
  if (!LetPackageBeFound()) return;
  Look look = {.known_loads = g_known_loads, .loads = 0, .found = false};
  dl_iterate_phdr(FindTorch, &look);
  g_known_loads = look.loads;
  if (!look.found || !g_waiting.exchange(false)) return;
  AtNextBytecode(RunWatch);
}

}  // namespace stowage::preload
