#include "tools/stowage/process/foreground.h"

#include <time.h>

#include <optional>

namespace stowage::cli {
namespace {

sigset_t HandledSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) {
    sigaddset(&set, signal);
  }
  return set;
}

}  // namespace

SignalBlock::SignalBlock() {
  const sigset_t set = HandledSignals();
  sigprocmask(SIG_BLOCK, &set, &before_);
}

SignalBlock::~SignalBlock() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

std::optional<int> TakePendingSignal() {
  sigset_t set = HandledSignals();
  sigdelset(&set, SIGCHLD);
  const timespec no_wait = {};
  const int signal = sigtimedwait(&set, nullptr, &no_wait);
  return signal > 0 ? std::optional<int>(signal) : std::nullopt;
}

int WaitInForeground(ChildProcess& command) {
  const sigset_t set = HandledSignals();
  while (true) {
    if (std::optional<int> status = command.Poll()) return *status;
    siginfo_t info;
    const int signal = sigwaitinfo(&set, &info);
    const bool from_terminal = info.si_code == SI_KERNEL;
    if (signal > 0 && signal != SIGCHLD && !from_terminal) {
      kill(command.pid(), signal);
    }
  }
}

}  // namespace stowage::cli
