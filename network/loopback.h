// Tells which gRPC addresses stay on this host.
//
//   absl::StatusOr<bool> local = StaysOnHost("localhost:7420");
//   if (local.ok() && !*local) std::cerr << "everybody on the way can read\n";
#ifndef STOWAGE_NETWORK_LOOPBACK_H_
#define STOWAGE_NETWORK_LOOPBACK_H_

#include <string>

#include "absl/status/statusor.h"

namespace stowage {

// Returns true for Unix sockets, and for hosts that have loopback addresses
// alone: "unix:/run/s.sock", "127.0.0.1:7420", "[::1]:7420", "localhost:7420",
// "dns:///localhost:7420", "ipv4:127.0.0.1:7420". Returns false for
// "0.0.0.0:7420", "[::]:7420" and ":7420", which mean every interface.
// INVALID_ARGUMENT if a port is missing or a host cannot be resolved. Blocks on
// the resolver if a host is a name.
// Of several addresses, separated by commas, all must stay.
absl::StatusOr<bool> StaysOnHost(const std::string& addresses);

}  // namespace stowage

#endif  // STOWAGE_NETWORK_LOOPBACK_H_
