// Sockets whose messages have ends, so that one message cannot become two.
#ifndef STOWAGE_CLIENT_SDK_PRELOAD_MESSAGE_H_
#define STOWAGE_CLIENT_SDK_PRELOAD_MESSAGE_H_

#include <errno.h>
#include <sys/socket.h>

#include "client_sdk/preload/bounce.h"

namespace stowage::preload {

// The bytes would be one message of the socket and do not fit one piece; sets
// errno as the kernel does for messages that are too long for it.
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
