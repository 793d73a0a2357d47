#include "network/loopback.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

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

// "host:port" or "[host]:port", without the port and the brackets.
absl::StatusOr<std::string> HostOf(absl::string_view address) {
  const size_t colon = address.rfind(':');
  const bool has_port = colon != address.npos && colon + 1 < address.size() &&
                        !absl::StrContains(address.substr(colon), ']');
  if (!has_port) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", address, "' has no port; name host:port or unix:/path"));
  }
  absl::string_view host = address.substr(0, colon);
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  return std::string(host);
}

absl::StatusOr<bool> HostStaysOnHost(absl::string_view address) {
  absl::StatusOr<std::string> host = HostOf(address);
  if (!host.ok()) return host.status();
  if (host->empty()) return false;
  const addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host->c_str(), nullptr, &hints, &found);
  if (error != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "host '", *host, "' cannot be resolved: ", gai_strerror(error),
        "; name another, or its address"));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found,
                                                             freeaddrinfo);
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    if (!IsLoopback(one->ai_addr)) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<bool> StaysOnHost(const std::string& address) {
  absl::string_view rest = address;
  if (absl::StartsWith(rest, "unix:") ||
      absl::StartsWith(rest, "unix-abstract:")) {
    return true;
  }
  if (absl::ConsumePrefix(&rest, "dns:")) {
    // "dns://authority/host:port"
    if (absl::ConsumePrefix(&rest, "//"))
      rest.remove_prefix(rest.find('/') + 1);
    return HostStaysOnHost(rest);
  }
  if (!absl::ConsumePrefix(&rest, "ipv4:")) absl::ConsumePrefix(&rest, "ipv6:");
  for (absl::string_view one : absl::StrSplit(rest, ',')) {
    absl::StatusOr<bool> stays = HostStaysOnHost(one);
    if (!stays.ok() || !*stays) return stays;
  }
  return true;
}

}  // namespace stowage
