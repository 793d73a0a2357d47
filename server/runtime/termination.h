// Waits for SIGTERM or SIGINT on an ordinary thread.
//
//   BlockTerminationSignals();  // in main, before any thread starts
//   int signal = WaitForTermination();  // blocks
#ifndef STOWAGE_SERVER_RUNTIME_TERMINATION_H_
#define STOWAGE_SERVER_RUNTIME_TERMINATION_H_

namespace stowage {

// Blocks both signals in the calling thread and those it starts later.
void BlockTerminationSignals();

// Waits for one of the signals and returns it. Unblocks them in the calling
// thread, so that a second one ends the process at once.
int WaitForTermination();

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_TERMINATION_H_
