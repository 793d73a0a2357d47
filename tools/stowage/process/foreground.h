// Runs the user's command in the foreground, as a shell would.
//
//   SignalBlock block;                       // before any child is started
//   absl::StatusOr<ChildProcess> command = ChildProcess::Start({.argv = argv});
//   int status = WaitInForeground(*command);
#ifndef STOWAGE_TOOLS_STOWAGE_PROCESS_FOREGROUND_H_
#define STOWAGE_TOOLS_STOWAGE_PROCESS_FOREGROUND_H_

#include <signal.h>

#include <optional>

#include "tools/stowage/process/child_process.h"

namespace stowage::cli {

// While it lives, SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGCHLD wait to be taken
// by WaitInForeground() instead of ending this process.
class SignalBlock {
 public:
  SignalBlock();
  ~SignalBlock();
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

 private:
  sigset_t before_;
};

// The signal that asked this process to end while it was blocked, if any.
std::optional<int> TakePendingSignal();

// Blocks until `command` has ended and returns its exit status. Signals sent
// to this process are forwarded; those of a terminal reached the command
// already, which shares the process group. Requires a SignalBlock.
int WaitInForeground(ChildProcess& command);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_PROCESS_FOREGROUND_H_
