// Unix sockets at which clients connect.
//
//   OwnedFd socket = ListenAtUnixSocket("unix:/run/stowaged.sock");
//   if (!socket.valid()) return absl::ErrnoToStatus(errno, "listen");
#ifndef STOWAGE_NETWORK_UNIX_SOCKET_H_
#define STOWAGE_NETWORK_UNIX_SOCKET_H_

#include <string>

#include "absl/strings/string_view.h"
#include "network/owned_fd.h"

namespace stowage {

// Returns the file of "unix:/path" or "unix:///path"; of "unix-abstract:name",
// which has none, the empty text.
std::string UnixSocketPath(absl::string_view address);

// Listens at "unix:/path" or "unix-abstract:name" with a socket that does not
// block. A file that nobody listens at is replaced; EADDRINUSE where somebody
// does. Returns no socket, and errno, when it cannot.
OwnedFd ListenAtUnixSocket(absl::string_view address);

}  // namespace stowage

#endif  // STOWAGE_NETWORK_UNIX_SOCKET_H_
