#include "network/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace stowage {
namespace {

OwnedFd NewSocket() {
  return OwnedFd(
      socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// An address in the form that system calls take.
struct UnixAddress {
  sockaddr_un bytes = {.sun_family = AF_UNIX};
  socklen_t size_bytes = 0;

  const sockaddr* get() const {
    return reinterpret_cast<const sockaddr*>(&bytes);
  }
};

// Fills in the address. Returns false, and sets errno, if the name is too long.
bool Fill(absl::string_view address, UnixAddress* filled) {
  // An abstract name begins with a zero, a path ends with one.
  const std::string name =
      absl::ConsumePrefix(&address, "unix-abstract:")
          ? absl::StrCat(absl::string_view("\0", 1), address)
          : UnixSocketPath(address) + '\0';
  if (name.size() > sizeof(filled->bytes.sun_path)) {
    errno = ENAMETOOLONG;
    return false;
  }
  name.copy(filled->bytes.sun_path, name.size());
  filled->size_bytes = offsetof(sockaddr_un, sun_path) + name.size();
  return true;
}

// Returns whether `path` is the file of a socket that nobody listens at any
// more.
bool IsDeserted(const UnixAddress& address, const std::string& path) {
  struct stat file = {};
  // connect() refuses a file that is no socket, too.
  if (lstat(path.c_str(), &file) != 0 || !S_ISSOCK(file.st_mode)) return false;
  const OwnedFd probe = NewSocket();
  return probe.valid() &&
         connect(probe.get(), address.get(), address.size_bytes) != 0 &&
         errno == ECONNREFUSED;
}

bool Bind(const OwnedFd& socket, const UnixAddress& address,
          const std::string& path) {
  if (bind(socket.get(), address.get(), address.size_bytes) == 0) return true;
  if (errno != EADDRINUSE) return false;
  if (IsDeserted(address, path) && unlink(path.c_str()) == 0) {
    return bind(socket.get(), address.get(), address.size_bytes) == 0;
  }
  errno = EADDRINUSE;
  return false;
}

}  // namespace

std::string UnixSocketPath(absl::string_view address) {
  if (!absl::ConsumePrefix(&address, "unix:")) return "";
  // "unix:///path" has an empty authority, and a path that begins with a slash.
  absl::ConsumePrefix(&address, "//");
  return std::string(address);
}

OwnedFd ListenAtUnixSocket(absl::string_view address) {
  UnixAddress filled;
  if (!Fill(address, &filled)) return OwnedFd();
  OwnedFd socket = NewSocket();
  if (!socket.valid() || !Bind(socket, filled, UnixSocketPath(address)) ||
      listen(socket.get(), SOMAXCONN) != 0) {
    return OwnedFd();
  }
  return socket;
}

}  // namespace stowage
