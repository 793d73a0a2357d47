#include "client_sdk/preload/torch_library.h"

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>
#include <string.h>

namespace stowage::preload {
namespace {

// Stores the path of the loaded libc10 in `path`. Python loads it outside the
// global scope.
int FindC10(dl_phdr_info* info, size_t, void* path) {
  const char* name = strrchr(info->dlpi_name, '/');
  if (name == nullptr || strncmp(name, "/libc10.so", 10) != 0) return 0;
  *static_cast<const char**>(path) = info->dlpi_name;
  return 1;
}

}  // namespace

const char* C10Path() {
  const char* path = nullptr;
  dl_iterate_phdr(FindC10, &path);
  return path;
}

}  // namespace stowage::preload
