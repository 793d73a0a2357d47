#include "network/loopback.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <vector>

#include "network/addresses.h"
#include "network/host_port.h"

namespace stowage {
namespace {

constexpr uint32_t kLoopbackNet = 127;

bool IsLoopback(const in_addr& address) {
  return ntohl(address.s_addr) >> 24 == kLoopbackNet;
}

bool IsLoopback(const in6_addr& address) {
  if (!IN6_IS_ADDR_V4MAPPED(&address)) return IN6_IS_ADDR_LOOPBACK(&address);
  in_addr mapped;
  std::memcpy(&mapped, address.s6_addr + 12, sizeof(mapped));
  return IsLoopback(mapped);
}

bool IsLoopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    return IsLoopback(reinterpret_cast<const sockaddr_in*>(address)->sin_addr);
  }
  return address->sa_family == AF_INET6 &&
         IsLoopback(reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

absl::StatusOr<bool> StaysOnHost(const HostPort& host_port) {
  if (host_port.host.empty()) return false;
  absl::StatusOr<AddressList> addresses = Resolve(host_port);
  if (!addresses.ok()) return addresses.status();
  for (const addrinfo* one = addresses->get(); one; one = one->ai_next) {
    if (!IsLoopback(one->ai_addr)) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<bool> StaysOnHost(const std::string& addresses) {
  for (const std::string& address : SplitAddresses(addresses)) {
    if (IsUnixAddress(address)) continue;
    absl::StatusOr<std::vector<HostPort>> all = HostPorts(address);
    if (!all.ok()) return all.status();
    for (const HostPort& one : *all) {
      absl::StatusOr<bool> stays = StaysOnHost(one);
      if (!stays.ok() || !*stays) return stays;
    }
  }
  return true;
}

}  // namespace stowage
