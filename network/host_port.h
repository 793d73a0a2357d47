// Finds the hosts and ports that a gRPC address names.
//
//   absl::StatusOr<std::vector<HostPort>> all = HostPorts("localhost:7420");
//   absl::StatusOr<AddressList> addresses = Resolve(all->front());
//   for (const addrinfo* one = addresses->get(); one; one = one->ai_next) {
//     Try(one->ai_addr, one->ai_addrlen);
//   }
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

// Returns whether the address begins with "unix:" or "unix-abstract:" and so
// names no host.
bool IsUnixAddress(absl::string_view address);

// Splits "host:port", "[host]:port", "dns:host:port", "dns://server/host:port"
// and the lists "ipv4:a:1,b:2" and "ipv6:[a]:1,[b]:2". INVALID_ARGUMENT if a
// port is missing.
absl::StatusOr<std::vector<HostPort>> HostPorts(absl::string_view address);

using AddressList = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

// Returns the socket addresses of a host, which must not be empty.
// INVALID_ARGUMENT if it cannot be resolved. Blocks on the resolver if the host
// is a name.
absl::StatusOr<AddressList> Resolve(const HostPort& host_port);

}  // namespace stowage

#endif  // STOWAGE_NETWORK_HOST_PORT_H_
