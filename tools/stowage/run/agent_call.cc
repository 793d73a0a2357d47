#include "tools/stowage/run/agent_call.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace stowage::cli {

absl::StatusOr<OwnedFd> ConnectToAgent(const std::string& socket_path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (!FillField(socket_path, address.sun_path)) {
    return absl::InvalidArgumentError(
        absl::StrCat("socket path '", socket_path, "' is too long"));
  }
  OwnedFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (connect(socket.get(), reinterpret_cast<sockaddr*>(&address),
              sizeof(address)) != 0) {
    return absl::UnavailableError(absl::StrCat(
        "no agent listens at '", socket_path, "': ", std::strerror(errno)));
  }
  return socket;
}

}  // namespace stowage::cli
