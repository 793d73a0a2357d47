// Waits on an ordinary thread for the signals that a daemon gets.
//
//   BlockSignals();  // in main, before any thread starts
//   int signal = WaitForTermination([] { Reload(); });  // blocks
#ifndef STOWAGE_DAEMON_SIGNALS_H_
#define STOWAGE_DAEMON_SIGNALS_H_

#include "absl/functional/function_ref.h"

namespace stowage {

// Blocks SIGTERM, SIGINT and SIGHUP in the calling thread and those it starts
// later.
void BlockSignals();

// Waits for SIGTERM or SIGINT and returns it. Calls `on_hang_up` for SIGHUP;
// one that arrives meanwhile counts after it.
int WaitForTermination(absl::FunctionRef<void()> on_hang_up);

// Lets another SIGTERM or SIGINT end the process at once.
void UnblockTermination();

}  // namespace stowage

#endif  // STOWAGE_DAEMON_SIGNALS_H_
