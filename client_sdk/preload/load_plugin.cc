// Loads the plug-in into processes that use LibTorch, and into no others.
//
// libstowage_preload.so depends on libc alone. It stands before libc10 in the
// search order, so PyTorch's first look-up of its CPU allocator comes here. New
// threads come here too, because the plug-in's hook is enabled thread by
// thread.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>

#include "client_sdk/preload/plugin_choice.h"
#include "client_sdk/preload/torch_library.h"

namespace {

using GetAllocator = void* (*)();
using Action = void (*)();
using StartRoutine = void* (*)(void*);

// Atomic: one thread sets them, and others ask for them meanwhile.
std::atomic<GetAllocator> g_get_allocator{nullptr};
std::atomic<Action> g_enable_thread{nullptr};

void ResolveAllocator() {
  const char* path = stowage::preload::C10Path();
  void* c10 = path != nullptr ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  void* symbol =
      c10 != nullptr ? dlsym(c10, "_ZN3c1015GetCPUAllocatorEv") : nullptr;
  if (symbol == nullptr) {
    fprintf(stderr, "stowage: cannot find PyTorch's CPU allocator\n");
    _Exit(78);
  }
  g_get_allocator = reinterpret_cast<GetAllocator>(symbol);
}

// Opens the plug-in for this PyTorch. Ends the process if there is none: a job
// that was asked to obey a limit must not train without it.
void* OpenPlugin(const char* installed) {
  stowage::preload::PluginChoice choice;
  if (!stowage::preload::ChoosePlugin(stowage::preload::C10Path(), installed,
                                      &choice)) {
    fprintf(stderr,
            "stowage: there is no plug-in for PyTorch %s yet; build it, in a "
            "minute, with: stowage plugin build --torch %s\n",
            choice.version, choice.torch_dir);
    _Exit(78);
  }
  void* plugin = dlopen(choice.path, RTLD_NOW | RTLD_GLOBAL);
  if (plugin == nullptr) {
    fprintf(stderr, "stowage: cannot load the PyTorch plug-in: %s\n",
            dlerror());
    _Exit(78);
  }
  return plugin;
}

void LoadPlugin() {
  const char* installed = getenv("STOWAGE_PLUGIN");
  if (installed == nullptr || getenv("STOWAGE_AGENT") == nullptr) return;
  void* plugin = OpenPlugin(installed);
  g_enable_thread =
      reinterpret_cast<Action>(dlsym(plugin, "stowage_enable_thread"));
  auto attach = reinterpret_cast<Action>(
      dlsym(plugin, "stowage_attach_from_environment"));
  if (attach != nullptr) attach();
}

// Returns true to the first caller alone: loading the plug-in looks the
// allocator up again.
bool FirstCall() {
  static std::atomic<bool> called{false};
  return !called.exchange(true);
}

struct ThreadStart {
  StartRoutine routine;
  void* argument;
};

void* StartThread(void* start) {
  const ThreadStart copy = *static_cast<ThreadStart*>(start);
  free(start);
  if (const Action enable = g_enable_thread) enable();
  return copy.routine(copy.argument);
}

}  // namespace

namespace c10 {

__attribute__((visibility("default"))) void* GetCPUAllocator() {
  if (g_get_allocator == nullptr) ResolveAllocator();
  if (FirstCall()) LoadPlugin();
  return g_get_allocator.load()();
}

}  // namespace c10

extern "C" __attribute__((visibility("default"))) int pthread_create(
    pthread_t* thread, const pthread_attr_t* attributes, StartRoutine routine,
    void* argument) {
  using Create =
      int (*)(pthread_t*, const pthread_attr_t*, StartRoutine, void*);
  static auto create =
      reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  auto* start = static_cast<ThreadStart*>(malloc(sizeof(ThreadStart)));
  if (start == nullptr) return create(thread, attributes, routine, argument);
  *start = {routine, argument};
  const int error = create(thread, attributes, StartThread, start);
  if (error != 0) free(start);
  return error;
}
