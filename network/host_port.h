// Parses the hosts and ports that an address of gRPC's names.
//
//   absl::StatusOr<std::vector<HostPort>> all = HostPorts("localhost:7420");
//   absl::StatusOr<AddressList> addresses = Resolve(all->front());
//   for (const addrinfo* one = addresses->get(); one; one = one->ai_next) ...
#ifndef STOWAGE_NETWORK_HOST_PORT_H_
#define STOWAGE_NETWORK_HOST_PORT_H_

#include <netdb.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage {

struct HostPort {
  std::string host;  // without brackets; empty: every interface
  std::string port;  // never empty
};

// Returns true for "unix:" and "unix-abstract:" addresses, which name no host.
bool IsUnixAddress(absl::string_view address);

// Splits "host:port", "[host]:port", "dns:host:port", "dns://server/host:port"
// and the lists "ipv4:a:1,b:2" and "ipv6:[a]:1,[b]:2". INVALID_ARGUMENT where a
// port is missing.
absl::StatusOr<std::vector<HostPort>> HostPorts(absl::string_view address);

using AddressList = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

// Returns the socket addresses of a host that is not empty. INVALID_ARGUMENT
// when it cannot be resolved. Blocks on the resolver where the host is a name.
absl::StatusOr<AddressList> Resolve(const HostPort& host_port);

}  // namespace stowage

#endif  // STOWAGE_NETWORK_HOST_PORT_H_
