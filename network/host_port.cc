#include "network/host_port.h"

#include <sys/socket.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace stowage {
namespace {

// Returns the address without its scheme, and without the name server of
// "dns://server/host:port".
absl::string_view WithoutScheme(absl::string_view address) {
  if (absl::ConsumePrefix(&address, "dns:")) {
    if (absl::ConsumePrefix(&address, "//")) {
      address.remove_prefix(address.find('/') + 1);
    }
  } else if (!absl::ConsumePrefix(&address, "ipv4:")) {
    absl::ConsumePrefix(&address, "ipv6:");
  }
  return address;
}

absl::StatusOr<HostPort> Split(absl::string_view address) {
  const size_t colon = address.rfind(':');
  const bool has_port = colon != address.npos && colon + 1 < address.size() &&
                        !absl::StrContains(address.substr(colon), ']');
  if (!has_port) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", address, "' has no port; name host:port or unix:/path"));
  }
  absl::string_view host = address.substr(0, colon);
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  return HostPort{.host = std::string(host),
                  .port = std::string(address.substr(colon + 1))};
}

}  // namespace

bool IsUnixAddress(absl::string_view address) {
  return absl::StartsWith(address, "unix:") ||
         absl::StartsWith(address, "unix-abstract:");
}

absl::StatusOr<std::vector<HostPort>> HostPorts(absl::string_view address) {
  std::vector<HostPort> all;
  for (absl::string_view one : absl::StrSplit(WithoutScheme(address), ',')) {
    absl::StatusOr<HostPort> split = Split(one);
    if (!split.ok()) return split.status();
    all.push_back(*std::move(split));
  }
  return all;
}

absl::StatusOr<AddressList> Resolve(const HostPort& host_port) {
  const addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host_port.host.c_str(), host_port.port.c_str(),
                                &hints, &found);
  if (error == 0) return AddressList(found, freeaddrinfo);
  return absl::InvalidArgumentError(absl::StrCat(
      "host '", host_port.host, "' cannot be resolved: ", gai_strerror(error),
      "; name another, or its address"));
}

}  // namespace stowage
