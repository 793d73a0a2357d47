#include "tools/stowage/process/foreground.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

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

// Waits for one of the signals, but not beyond the next tick if there are any.
// Returns it; -1: none came.
int NextSignal(const sigset_t& set, bool has_ticks, siginfo_t* info) {
  constexpr timespec kTick = {.tv_sec = 0, .tv_nsec = 200'000'000};
  return has_ticks ? sigtimedwait(&set, info, &kTick) : sigwaitinfo(&set, info);
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

int WaitInForeground(ChildProcess& command,
                     const std::function<void()>& on_child_ended,
                     const std::function<void()>& on_tick) {
  const sigset_t set = HandledSignals();
  while (true) {
    if (std::optional<int> status = command.Poll()) return *status;
    siginfo_t info = {};
    const int signal = NextSignal(set, on_tick != nullptr, &info);
    if (on_tick) on_tick();
    const bool from_terminal = info.si_code == SI_KERNEL;
    if (signal == SIGCHLD && !command.Poll()) on_child_ended();
    if (signal > 0 && signal != SIGCHLD && !from_terminal) {
      kill(command.pid(), signal);
    }
  }
}

Event WaitForEvent(int fd) {
  const sigset_t set = HandledSignals();
  const int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  pollfd sources[] = {{.fd = signals, .events = POLLIN},
                      {.fd = fd, .events = POLLIN}};
  signalfd_siginfo info = {};
  while (read(signals, &info, sizeof(info)) < 0 && sources[1].revents == 0) {
    poll(sources, 2, /*timeout=*/-1);
  }
  close(signals);
  if (info.ssi_signo == 0) return Event::kReadable;
  return info.ssi_signo == SIGCHLD ? Event::kChildEnded : Event::kAskedToEnd;
}

}  // namespace stowage::cli
