// Owns a file descriptor and closes it.
//
//   OwnedFd fd(open("/var/lib/stowage/stowaged.db", O_RDONLY | O_CLOEXEC));
//   if (!fd.valid()) return absl::ErrnoToStatus(errno, "open");
#ifndef STOWAGE_NETWORK_OWNED_FD_H_
#define STOWAGE_NETWORK_OWNED_FD_H_

#include <unistd.h>

#include <utility>

namespace stowage {

// Movable. Not thread-safe.
class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OwnedFd() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // Returns the descriptor and gives it up without closing it.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace stowage

#endif  // STOWAGE_NETWORK_OWNED_FD_H_
