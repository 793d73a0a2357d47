// Tells which sends would be one message, which cannot be sent in two pieces.
//
//   if (IsTooLongMessage(fd, TotalBytes(parts))) return -1;
#ifndef STOWAGE_CLIENT_SDK_PRELOAD_MESSAGE_H_
#define STOWAGE_CLIENT_SDK_PRELOAD_MESSAGE_H_

#include <errno.h>
#include <sys/socket.h>

#include "client_sdk/preload/bounce.h"

namespace stowage::preload {

// Returns whether `bytes` would be one message of the socket and do not fit
// into one piece. Sets errno then, as the kernel does for messages that are too
// long.
inline bool IsTooLongMessage(int fd, size_t bytes) {
  if (bytes <= Bounce::kBytes) return false;
  int type = SOCK_STREAM;
  socklen_t size = sizeof(type);
  const bool is_socket = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
  if (!is_socket || type == SOCK_STREAM) return false;
  errno = EMSGSIZE;
  return true;
}

}  // namespace stowage::preload

#endif  // STOWAGE_CLIENT_SDK_PRELOAD_MESSAGE_H_
