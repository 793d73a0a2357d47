#include "client_sdk/runtime/process/signal_stack.h"

#include <signal.h>
#include <sys/mman.h>

#include <cstddef>

namespace stowage::runtime {
namespace {

// Linux saves up to 11 KiB of registers there. Pages that are not used take no
// memory.
constexpr size_t kStackBytes = 256 << 10;
constexpr size_t kGuardBytes = 4096;  // below it

class SignalStack {
 public:
  SignalStack() {
    stack_t current = {};
    const bool wanted = sigaltstack(nullptr, &current) == 0 &&
                        (current.ss_flags & SS_DISABLE) != 0;
    if (!wanted) return;
    void* memory =
        mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = static_cast<char*>(memory);
    mprotect(memory_, kGuardBytes, PROT_NONE);
    stack_t stack = {};
    stack.ss_sp = memory_ + kGuardBytes;
    stack.ss_size = kStackBytes;
    sigaltstack(&stack, nullptr);
  }

  // Another one may be in use by now.
  ~SignalStack() {
    if (memory_ == nullptr) return;
    stack_t current = {};
    sigaltstack(nullptr, &current);
    if (current.ss_sp == memory_ + kGuardBytes) {
      stack_t none = {};
      none.ss_flags = SS_DISABLE;
      if (sigaltstack(&none, nullptr) != 0) return;
    }
    munmap(memory_, kGuardBytes + kStackBytes);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  char* memory_ = nullptr;
};

}  // namespace

void UseSignalStack() { thread_local const SignalStack stack; }

}  // namespace stowage::runtime
