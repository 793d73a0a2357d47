#include "daemon/signals.h"

#include <pthread.h>
#include <signal.h>

namespace stowage {
namespace {

sigset_t TerminationSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

sigset_t AllSignals() {
  sigset_t signals = TerminationSignals();
  sigaddset(&signals, SIGHUP);
  return signals;
}

}  // namespace

void BlockSignals() {
  const sigset_t signals = AllSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

int WaitForTermination(absl::FunctionRef<void()> on_hang_up) {
  const sigset_t signals = AllSignals();
  while (true) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (signal != SIGHUP) return signal;
    on_hang_up();
  }
}

void UnblockTermination() {
  const sigset_t signals = TerminationSignals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace stowage
