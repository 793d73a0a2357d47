// Sockets at which clients connect.
//
//   absl::StatusOr<ListeningSockets> sockets = Listen("localhost:0");
//   std::cerr << sockets->address;  // "localhost:40123"
//   int connection = accept(sockets->sockets[0].get(), nullptr, nullptr);
#ifndef STOWAGE_NETWORK_LISTENING_SOCKETS_H_
#define STOWAGE_NETWORK_LISTENING_SOCKETS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "network/owned_fd.h"

namespace stowage {

// Owns its sockets, which do not block.
struct ListeningSockets {
  // What was asked for, with the port that was bound.
  std::string address;
  // One for each address that the host resolves to.
  std::vector<OwnedFd> sockets;
};

// Listens at an address that is spelt as gRPC's are: "host:port" (port 0: any
// free one; empty host or "[::]": every interface), "unix:/path",
// "unix-abstract:name". The file of a Unix socket that nobody listens at is
// replaced. UNAVAILABLE when the address is taken or not this host's,
// INVALID_ARGUMENT when it is malformed; both say what to do.
//
// Peers of TCP sockets that vanish are noticed 20 s after bytes that they did
// not acknowledge.
absl::StatusOr<ListeningSockets> Listen(const std::string& address);

}  // namespace stowage

#endif  // STOWAGE_NETWORK_LISTENING_SOCKETS_H_
