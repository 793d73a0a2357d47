#include "client_sdk/runtime/fault_handler.h"

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "client_sdk/runtime/job.h"
#include "client_sdk/runtime/process/signal_stack.h"

namespace stowage::runtime {
namespace {

Job* g_job = nullptr;
struct sigaction g_previous;

// What the instruction was doing, as the processor says.
Access AccessOf([[maybe_unused]] void* context) {
#if defined(__x86_64__)
  constexpr greg_t kWriteBit = 2;  // of a page fault's error code
  const auto* state = static_cast<const ucontext_t*>(context);
  return state->uc_mcontext.gregs[REG_ERR] & kWriteBit ? Access::kWrite
                                                       : Access::kRead;
#else
  return Access::kUnknown;
#endif
}

void OnFault(int number, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const bool handled = g_job->HandleFault(info->si_addr, AccessOf(context));
  errno = saved_errno;
  if (handled) return;
  if (g_previous.sa_flags & SA_SIGINFO) {
    g_previous.sa_sigaction(number, info, context);
  } else if (g_previous.sa_handler != SIG_DFL &&
             g_previous.sa_handler != SIG_IGN) {
    g_previous.sa_handler(number);
  } else {
    // Not ours: let the instruction fault again without a handler.
    sigaction(number, &g_previous, nullptr);
  }
}

}  // namespace

void InstallFaultHandler(Job* job) {
  g_job = job;
  UseSignalStack();
  struct sigaction action {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGSEGV, &action, &g_previous);
}

}  // namespace stowage::runtime
