#include "network/listening_sockets.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "network/host_port.h"
#include "network/unix_socket.h"

namespace stowage {
namespace {

constexpr int kUserTimeoutMs = 20'000;
// Several, because a port that is free at one address of a host may be taken at
// another.
constexpr int kFreePortAttempts = 8;

absl::Status Failure(absl::string_view address, int error) {
  return absl::UnavailableError(
      absl::StrCat("cannot listen at ", address, ": ", std::strerror(error),
                   "; free the address or name another"));
}

OwnedFd NewSocket(int family) {
  return OwnedFd(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

void SetOption(const OwnedFd& socket, int level, int option, int value) {
  // An old kernel may lack the option, which is no error.
  setsockopt(socket.get(), level, option, &value, sizeof(value));
}

// Sets options that accepted connections inherit from their listening socket.
void SetTcpOptions(const OwnedFd& socket, int family) {
  SetOption(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  SetOption(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kUserTimeoutMs);
  // "[::]" also means IPv4, whatever the system's default is.
  if (family == AF_INET6) SetOption(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
}

void SetPort(sockaddr* address, int port) {
  if (address->sa_family == AF_INET) {
    reinterpret_cast<sockaddr_in*>(address)->sin_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in6*>(address)->sin6_port = htons(port);
  }
}

int PortOf(const OwnedFd& socket) {
  sockaddr_in6 address = {};
  socklen_t size_bytes = sizeof(address);
  getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size_bytes);
  // Both families have their port at the same place.
  return ntohs(address.sin6_port);
}

// Returns a socket that listens; no socket, and errno, if it cannot be bound.
OwnedFd ListenAt(const addrinfo& address) {
  OwnedFd socket = NewSocket(address.ai_family);
  if (!socket.valid()) return socket;
  SetTcpOptions(socket, address.ai_family);
  const bool listens =
      bind(socket.get(), address.ai_addr, address.ai_addrlen) == 0 &&
      listen(socket.get(), SOMAXCONN) == 0;
  return listens ? std::move(socket) : OwnedFd();
}

// Returns whether this host lacks the family of an address: a host without IPv6
// may still have names with IPv6 addresses, and the other way round.
bool IsMissingFamily(int error) {
  return error == EAFNOSUPPORT || error == EADDRNOTAVAIL;
}

// Appends a socket for each address, all at the port of the first one. Returns
// 0 or an errno.
int ListenAtAll(addrinfo* addresses, std::vector<OwnedFd>* sockets) {
  int error = 0;
  int port = 0;
  const size_t before = sockets->size();
  for (addrinfo* one = addresses; one != nullptr; one = one->ai_next) {
    if (port != 0) SetPort(one->ai_addr, port);
    OwnedFd socket = ListenAt(*one);
    if (!socket.valid()) {
      error = errno;
      if (IsMissingFamily(error)) continue;
      sockets->resize(before);
      return error;
    }
    port = PortOf(socket);
    sockets->push_back(std::move(socket));
  }
  return sockets->size() > before ? 0 : error;
}

bool HasIpv6() { return NewSocket(AF_INET6).valid(); }

absl::Status ListenAtHost(HostPort host_port, absl::string_view address,
                          ListeningSockets* listening) {
  if (host_port.host.empty()) host_port.host = HasIpv6() ? "::" : "0.0.0.0";
  int error = 0;
  for (int attempt = 0; attempt < kFreePortAttempts; ++attempt) {
    absl::StatusOr<AddressList> addresses = Resolve(host_port);
    if (!addresses.ok()) return addresses.status();
    error = ListenAtAll(addresses->get(), &listening->sockets);
    if (error == 0) return absl::OkStatus();
    if (error != EADDRINUSE || host_port.port != "0") break;
  }
  return Failure(address, error);
}

absl::StatusOr<ListeningSockets> ListenAtHosts(const std::string& address) {
  absl::StatusOr<std::vector<HostPort>> all = HostPorts(address);
  if (!all.ok()) return all.status();
  ListeningSockets listening;
  for (HostPort& one : *all) {
    absl::Status bound = ListenAtHost(std::move(one), address, &listening);
    if (!bound.ok()) return bound;
  }
  listening.address = absl::StrCat(address.substr(0, address.rfind(':')), ":",
                                   PortOf(listening.sockets.back()));
  return listening;
}

absl::StatusOr<ListeningSockets> ListenAtUnix(const std::string& address) {
  OwnedFd socket = ListenAtUnixSocket(address);
  if (!socket.valid()) return Failure(address, errno);
  ListeningSockets listening = {.address = address};
  listening.sockets.push_back(std::move(socket));
  return listening;
}

}  // namespace

absl::StatusOr<ListeningSockets> Listen(const std::string& address) {
  return IsUnixAddress(address) ? ListenAtUnix(address)
                                : ListenAtHosts(address);
}

}  // namespace stowage
