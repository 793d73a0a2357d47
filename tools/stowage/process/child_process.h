// One child process: started, waited for, stopped.
//
//   absl::StatusOr<ChildProcess> agent = ChildProcess::Start(
//       {.argv = {"stowage-agent", "--socket", path}, .log_path = log,
//        .detached = true});
//   ...
//   agent->Stop(absl::Seconds(5));
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
  // argv[0] is looked up in PATH when it has no slash.
  std::vector<std::string> argv;
  // "NAME=value"; empty: the parent's environment.
  std::vector<std::string> environment;
  // Takes the child's stdout and stderr, its stdin is empty. Where this is
  // empty the child shares the parent's three.
  std::string log_path;
  // In a session of its own, so that a terminal's Ctrl-C does not reach it, and
  // told to stop (SIGTERM) when the thread that started it dies.
  bool detached = false;
};

class ChildProcess {
 public:
  // Errors of the exec itself are returned: NOT_FOUND when there is no such
  // program, PERMISSION_DENIED when it may not be run. Signals that the parent
  // blocks are unblocked in the child.
  static absl::StatusOr<ChildProcess> Start(const ProcessOptions& options);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  // The exit status as a shell gives it (128 + signal when one killed the
  // child), or nullopt while it runs. Does not block.
  std::optional<int> Poll();
  // Blocks until the child has ended.
  int Wait();
  // SIGTERM, after `grace` SIGKILL; blocks until the child has ended.
  int Stop(absl::Duration grace);

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_ = -1;  // -1: moved from
  std::optional<int> exit_status_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_PROCESS_CHILD_PROCESS_H_
