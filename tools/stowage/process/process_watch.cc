#include "tools/stowage/process/process_watch.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace stowage::cli {

absl::StatusOr<ProcessWatch> ProcessWatch::Open(pid_t pid) {
  if (pid == 0) return ProcessWatch(-1);
  // A system call, because the declaration of glibc 2.36 does not suit C++.
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd >= 0) return ProcessWatch(fd);
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot watch process ", pid));
}

ProcessWatch::ProcessWatch(ProcessWatch&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

ProcessWatch::~ProcessWatch() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace stowage::cli
