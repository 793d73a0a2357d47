#include "client_sdk/torch/hook/team_stacks.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "client_sdk/runtime/process/signal_stack.h"

namespace stowage::torch_plugin {
namespace {

// What `#pragma omp parallel` calls, with as many threads as usual for 0.
using Parallel = void (*)(void (*)(void*), void*, unsigned, unsigned);

bool SeesNewThreads() {
  return dlopen("libstowage_preload.so", RTLD_LAZY | RTLD_NOLOAD) != nullptr;
}

// PyTorch's wheels have a copy of the library, with a name and a team of its own.
int FindOpenMp(dl_phdr_info* info, size_t, void* path) {
  const char* name = strrchr(info->dlpi_name, '/');
  if (name == nullptr || strncmp(name, "/libgomp", 8) != 0) return 0;
  const auto found = static_cast<const char**>(path);
  *found = info->dlpi_name;
  return strncmp(name, "/libgomp-", 9) == 0;  // else go on looking
}

Parallel FindParallel() {
  if (SeesNewThreads()) return nullptr;
  const char* path = nullptr;
  dl_iterate_phdr(FindOpenMp, &path);
  void* library =
      path != nullptr ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  return library == nullptr
             ? nullptr
             : reinterpret_cast<Parallel>(dlsym(library, "GOMP_parallel"));
}

}  // namespace

void GiveTeamSignalStacks() {
  static const Parallel parallel = FindParallel();
  if (parallel == nullptr) return;
  parallel([](void*) { runtime::UseSignalStack(); }, nullptr, 0, 0);
}

}  // namespace stowage::torch_plugin
