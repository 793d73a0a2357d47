// Starts a child process, waits for it and stops it.
//
//   absl::StatusOr<ChildProcess> agent = ChildProcess::Start(
//       {.argv = {"stowage-agent", "--socket", path}, .log_path = log,
//        .detached = true});
//   agent->Stop(/*grace=*/absl::Seconds(5));
//
// Not thread-safe. The destructor stops a child that still runs.
#ifndef STOWAGE_TOOLS_STOWAGE_PROCESS_CHILD_PROCESS_H_
#define STOWAGE_TOOLS_STOWAGE_PROCESS_CHILD_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace stowage::cli {

struct ProcessOptions {
  // argv[0] is looked up in PATH if it has no slash.
  std::vector<std::string> argv;
  // "NAME=value"; empty: the parent's environment.
  std::vector<std::string> environment;
  // The file for the child's stdout and stderr; its stdin is then empty. If
  // this is empty, the child shares the parent's three.
  std::string log_path;
  // Whether what the child prints goes to standard error, so that standard
  // output is the parent's alone.
  bool prints_to_stderr = false;
  // Whether the child is its own process group, so that a terminal's Ctrl-C does
  // not reach it, and gets SIGTERM when the thread that started it dies. It
  // stays in the session: Linux compares the priorities of threads within one
  // (sched(7), autogroups), and a thread of the lowest in another session would
  // get as much of a processor as the training.
  bool detached = false;
};

class ChildProcess {
 public:
  // Starts a child, in which signals that the parent blocks are unblocked.
  // NOT_FOUND: there is no such program. PERMISSION_DENIED: it may not be run.
  static absl::StatusOr<ChildProcess> Start(const ProcessOptions& options);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  // Returns the exit status as a shell does, 128 + the signal if one killed the
  // child; nullopt while the child runs. Does not block.
  std::optional<int> Poll();
  // Blocks until the child has ended. Returns its exit status.
  int Wait();
  // Sends SIGTERM, and SIGKILL after `grace`. Blocks until the child has ended.
  // Returns its exit status.
  int Stop(absl::Duration grace);

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_ = -1;  // -1: moved from
  std::optional<int> exit_status_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_PROCESS_CHILD_PROCESS_H_
