// Tells when a process that is no child of this one has ended.
//
//   absl::StatusOr<ProcessWatch> watch = ProcessWatch::Open(pid);
//   pollfd ended = {.fd = watch->fd(), .events = POLLIN};
//   poll(&ended, 1, -1);
//
// Not thread-safe.
#ifndef STOWAGE_TOOLS_STOWAGE_PROCESS_PROCESS_WATCH_H_
#define STOWAGE_TOOLS_STOWAGE_PROCESS_PROCESS_WATCH_H_

#include <sys/types.h>

#include "absl/status/statusor.h"

namespace stowage::cli {

class ProcessWatch {
 public:
  // Watches the process; with 0, watches nothing. NOT_FOUND: no such process.
  static absl::StatusOr<ProcessWatch> Open(pid_t pid);

  ProcessWatch(ProcessWatch&& other) noexcept;
  ProcessWatch& operator=(ProcessWatch&&) = delete;
  ~ProcessWatch();

  // Returns a descriptor that is readable once the process has ended; -1 if it
  // watches nothing.
  int fd() const { return fd_; }

 private:
  explicit ProcessWatch(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_PROCESS_PROCESS_WATCH_H_
