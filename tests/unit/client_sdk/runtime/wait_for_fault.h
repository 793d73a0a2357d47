// Makes a call that serves a fault until it has, as the handler does.
//
//   int error = WaitForFault(&window, [&](bool again) {
//     return window.Fault(&block, address, Access::kRead, again);
//   });
#ifndef STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_WAIT_FOR_FAULT_H_
#define STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_WAIT_FOR_FAULT_H_

#include <errno.h>

#include "client_sdk/runtime/moves/stream_window.h"

namespace stowage::runtime {

// Returns 0 or an errno. Blocks on the file.
template <typename Serve>
int WaitForFault(StreamWindow* window, Serve serve) {
  for (bool again = false;; again = true) {
    const int error = serve(again);
    if (error != EINPROGRESS) return error;
    window->requests()->Await(window->awaited());
  }
}

}  // namespace stowage::runtime

#endif  // STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_WAIT_FOR_FAULT_H_
