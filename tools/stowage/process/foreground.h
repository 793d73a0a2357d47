// Waits in the foreground, as a shell does, for the user's command or for the
// end of what runs beside it.
//
//   SignalBlock block;                       // before any child is started
//   absl::StatusOr<ChildProcess> command = ChildProcess::Start({.argv = argv});
//   int status = WaitInForeground(*command);
#ifndef STOWAGE_TOOLS_STOWAGE_PROCESS_FOREGROUND_H_
#define STOWAGE_TOOLS_STOWAGE_PROCESS_FOREGROUND_H_

#include <signal.h>

#include <functional>
#include <optional>

#include "tools/stowage/process/child_process.h"

namespace stowage::cli {

// While it lives, SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGCHLD wait to be taken
// by the functions below instead of ending this process.
class SignalBlock {
 public:
  SignalBlock();
  ~SignalBlock();
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

 private:
  sigset_t before_;
};

// Returns the signal that asked this process to end while it was blocked;
// nullopt: none.
std::optional<int> TakePendingSignal();

// Blocks until `command` has ended and returns its exit status. Forwards
// signals that are sent to this process. Those of a terminal reach the command
// by themselves, because it shares the process group. Calls `on_child_ended`
// when another child may have ended, and `on_tick`, if there is one, several
// times a second. Requires a SignalBlock.
int WaitInForeground(
    ChildProcess& command, const std::function<void()>& on_child_ended = [] {},
    const std::function<void()>& on_tick = {});

enum class Event {
  kAskedToEnd,  // by a signal
  kChildEnded,  // some child; the caller finds out which
  kReadable,    // `fd` is
};

// Blocks until one of these happens and returns it. `fd` may be -1. Requires a
// SignalBlock.
Event WaitForEvent(int fd);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_PROCESS_FOREGROUND_H_
