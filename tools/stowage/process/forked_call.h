// Runs a function in its own process. The memory that it needs is measured, and
// the caller lives on if it dies.
//
//   absl::StatusOr<ForkedCall> call = ForkedCall::Start([&] { return Work(); });
//   absl::StatusOr<ForkedResult> result = call->Finish(absl::InfiniteFuture());
//
// Not thread-safe; the calling process must have one thread. The destructor
// kills a call that has not finished.
#ifndef STOWAGE_TOOLS_STOWAGE_PROCESS_FORKED_CALL_H_
#define STOWAGE_TOOLS_STOWAGE_PROCESS_FORKED_CALL_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace stowage::cli {

struct ForkedResult {
  std::string output;
  // The peak of the call's process, as wait4() tells it: what the caller had
  // resident when it forked, and what the call added.
  int64_t peak_rss_bytes = 0;
};

class ForkedCall {
 public:
  // Starts `work`, which runs in the child alone, so that its side effects are
  // lost. RESOURCE_EXHAUSTED: no process can be made.
  static absl::StatusOr<ForkedCall> Start(
      absl::FunctionRef<std::string()> work);

  ForkedCall(ForkedCall&& other) noexcept;
  ForkedCall& operator=(ForkedCall&& other) noexcept;
  ~ForkedCall();

  // Waits for the call and returns its result. DEADLINE_EXCEEDED: it took
  // longer, and was killed. INTERNAL: its process died; the message names the
  // signal.
  absl::StatusOr<ForkedResult> Finish(absl::Time deadline);

 private:
  ForkedCall(pid_t pid, int fd) : pid_(pid), fd_(fd) {}
  void Abandon();

  pid_t pid_ = -1;  // -1: finished or moved from
  int fd_ = -1;     // what the call writes
};

struct ForkedCalls {
  size_t count = 0;
  int jobs = 1;  // at a time
  // How long each call may take.
  absl::Duration give_up_after = absl::InfiniteDuration();
};

// Calls `work` with each of 0 .. count-1 in its own process, and `begins` in
// this one before that. Returns the results in the same order.
std::vector<absl::StatusOr<ForkedResult>> RunForked(
    const ForkedCalls& calls, absl::FunctionRef<std::string(size_t)> work,
    absl::FunctionRef<void(size_t)> begins);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_PROCESS_FORKED_CALL_H_
