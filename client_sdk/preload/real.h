// Calls the C library's own version of a function that this library stands in
// front of.
//
//   Real<"read", ssize_t(int, void*, size_t)> g_read;    // a global
//   ssize_t got = g_read(fd, buffer, bytes);
//
// A Real looks its function up when the library is loaded, because looking up
// is not safe in signal handlers and forked children. Earlier calls look it up
// for themselves. The type is written out because decltype(fwrite) would bring
// what the compiler knows of the built-in function.
#ifndef STOWAGE_CLIENT_SDK_PRELOAD_REAL_H_
#define STOWAGE_CLIENT_SDK_PRELOAD_REAL_H_

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stddef.h>

namespace stowage::preload {

template <size_t kBytes>
struct FunctionName {
  constexpr FunctionName(const char (&name)[kBytes]) {  // NOLINT
    for (size_t i = 0; i < kBytes; ++i) text[i] = name[i];
  }
  char text[kBytes];
};

template <FunctionName kName, typename Function>
class Real {
 public:
  Real() { function_ = LookUp(); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;

  template <typename... Arguments>
  auto operator()(Arguments... arguments) const {
    // Null only before this object was constructed.
    Function* function = function_ != nullptr ? function_ : LookUp();
    return function(arguments...);
  }

 private:
  static Function* LookUp() {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, kName.text));
  }

  Function* function_;
};

}  // namespace stowage::preload

#endif  // STOWAGE_CLIENT_SDK_PRELOAD_REAL_H_
