// Opens the sockets that clients connect to.
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
  // The address that was asked for, with the port that was bound.
  std::string address;
  // One for each address that the host resolves to.
  std::vector<OwnedFd> sockets;
};

// Listens at a gRPC address: "host:port" (port 0: any free one; an empty host
// or "[::]": every interface), "unix:/path", "unix-abstract:name". Replaces the
// file of a Unix socket that nobody listens at. UNAVAILABLE if the address is
// taken or belongs to another host, INVALID_ARGUMENT if it is malformed; both
// say what to do.
//
// A TCP connection ends when its peer has acknowledged nothing for 20 s.
absl::StatusOr<ListeningSockets> Listen(const std::string& address);

}  // namespace stowage

#endif  // STOWAGE_NETWORK_LISTENING_SOCKETS_H_
