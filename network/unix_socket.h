// Listens at Unix sockets.
//
//   OwnedFd socket = ListenAtUnixSocket("unix:/run/stowaged.sock");
//   if (!socket.valid()) return absl::ErrnoToStatus(errno, "listen");
#ifndef STOWAGE_NETWORK_UNIX_SOCKET_H_
#define STOWAGE_NETWORK_UNIX_SOCKET_H_

#include <string>

#include "absl/strings/string_view.h"
#include "network/owned_fd.h"

namespace stowage {

// Returns the file of "unix:/path" or "unix:///path"; an empty text for any
// other address, which has no file.
std::string UnixSocketPath(absl::string_view address);

// Returns a socket, which does not block, that listens at "unix:/path" or
// "unix-abstract:name". Replaces a file that nobody listens at. Sets errno and
// returns no socket if it cannot listen: EADDRINUSE if somebody else does.
OwnedFd ListenAtUnixSocket(absl::string_view address);

}  // namespace stowage

#endif  // STOWAGE_NETWORK_UNIX_SOCKET_H_
