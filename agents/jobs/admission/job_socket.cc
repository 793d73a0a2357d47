#include "agents/jobs/admission/job_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "agents/jobs/records/fixed_text.h"
#include "client_sdk/session/descriptor_message.h"

namespace stowage::agent {
namespace {

constexpr int kBacklog = 64;

absl::StatusOr<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(
        absl::StrCat("socket path '", path, "' must have 1 to ",
                     sizeof(address.sun_path) - 1, " bytes; choose another"));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

OwnedFd MakeSocket() {
  return OwnedFd(
      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Removes the file at `path` if it is a socket at which nobody listens.
absl::Status RemoveStaleSocket(const std::string& path,
                               const sockaddr_un& address) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0) return absl::OkStatus();
  if (!S_ISSOCK(status.st_mode)) {
    return absl::AlreadyExistsError(absl::StrCat(
        "'", path, "' is there and is no socket; remove it or use another"));
  }
  const OwnedFd probe = MakeSocket();
  if (connect(probe.get(), reinterpret_cast<const sockaddr*>(&address),
              sizeof(address)) == 0 ||
      errno == EAGAIN) {
    return absl::AlreadyExistsError(absl::StrCat(
        "another agent listens at '", path, "'; stop it or use another"));
  }
  unlink(path.c_str());
  return absl::OkStatus();
}

absl::Status CannotListen(const std::string& path, int error) {
  return absl::ErrnoToStatus(
      error, absl::StrCat("cannot listen at '", path,
                          "'; use a directory that the agent may write"));
}

// Sets mode and group of the socket. Call it before the socket listens, so that
// the umask lets nobody in.
absl::Status Restrict(const std::string& path, const SocketAccess& access) {
  if (chmod(path.c_str(), access.mode) != 0) return CannotListen(path, errno);
  if (!access.group.has_value()) return absl::OkStatus();
  if (chown(path.c_str(), -1, *access.group) == 0) return absl::OkStatus();
  const int error = errno;
  unlink(path.c_str());
  return absl::ErrnoToStatus(
      error, absl::StrCat("cannot give the socket '", path, "' to group ",
                          *access.group,
                          "; name a group that the agent's user is in"));
}

}  // namespace

absl::StatusOr<OwnedFd> ListenAt(const std::string& path,
                                 const SocketAccess& access) {
  const absl::StatusOr<sockaddr_un> address = AddressOf(path);
  if (!address.ok()) return address.status();
  std::error_code ignored;  // bind() says what is wrong
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(),
                                      ignored);
  if (absl::Status s = RemoveStaleSocket(path, *address); !s.ok()) return s;
  OwnedFd socket = MakeSocket();
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&*address),
           sizeof(*address)) != 0) {
    return CannotListen(path, errno);
  }
  if (absl::Status s = Restrict(path, access); !s.ok()) return s;
  if (listen(socket.get(), kBacklog) != 0) return CannotListen(path, errno);
  return socket;
}

absl::StatusOr<Greeting> ReceiveGreeting(int socket, absl::Duration timeout) {
  pollfd ready{socket, POLLIN, 0};
  const int events =
      poll(&ready, 1, static_cast<int>(absl::ToInt64Milliseconds(timeout)));
  if (events <= 0) {
    return absl::DeadlineExceededError("the job sent no greeting in time");
  }
  std::array<char, sizeof(session::Hello) + 64> buffer;
  std::vector<int> received;
  const ssize_t size =
      session::ReceiveMessage(socket, buffer.data(), buffer.size(), &received);
  Greeting greeting;
  for (const int fd : received) greeting.descriptors.emplace_back(fd);
  if (size <= 0) return absl::CancelledError("the job hung up");
  greeting.bytes.assign(buffer.data(), size);
  return greeting;
}

absl::Status SendWelcome(int socket, const session::Welcome& welcome,
                         const std::vector<int>& descriptors) {
  if (!session::SendMessage(socket, &welcome, sizeof(welcome), descriptors)) {
    return absl::ErrnoToStatus(errno, "cannot answer the job");
  }
  return absl::OkStatus();
}

session::Welcome Refusal(const absl::Status& status) {
  session::Welcome welcome{};
  welcome.magic = session::kMagic;
  welcome.version = session::kVersion;
  SetText(welcome.error, status.message());
  return welcome;
}

void RefuseUnheard(int socket, const absl::Status& status) {
  shutdown(socket, SHUT_RD);
  char byte;
  while (recv(socket, &byte, sizeof(byte), MSG_DONTWAIT) > 0) {
  }
  // The job may be gone already.
  SendWelcome(socket, Refusal(status), {}).IgnoreError();
}

bool HasHungUp(int socket) {
  char byte;
  const ssize_t size = recv(socket, &byte, sizeof(byte), MSG_DONTWAIT);
  if (size == 0) return true;
  return size < 0 && errno != EAGAIN && errno != EINTR;
}

}  // namespace stowage::agent
