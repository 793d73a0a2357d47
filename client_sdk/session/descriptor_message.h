// Sends and receives messages that descriptors travel with.
//
//   if (!SendMessage(socket, &hello, sizeof(hello), fds)) Refuse("it hung up");
//   const ssize_t size = ReceiveMessage(socket, &welcome, sizeof(welcome), &fds);
#ifndef STOWAGE_CLIENT_SDK_SESSION_DESCRIPTOR_MESSAGE_H_
#define STOWAGE_CLIENT_SDK_SESSION_DESCRIPTOR_MESSAGE_H_

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "client_sdk/session/session.h"

namespace stowage::session {

// Sends one message to a SOCK_SEQPACKET socket, with copies of at most
// kMostDescriptors descriptors. Returns whether it went; else errno says why
// not. Blocks as the socket does.
inline bool SendMessage(int socket, const void* bytes, size_t size,
                        const std::vector<int>& descriptors) {
  alignas(
      cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostDescriptors)] = {};
  iovec part{const_cast<void*>(bytes), size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  const size_t descriptor_bytes = sizeof(int) * descriptors.size();
  if (descriptor_bytes > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(descriptor_bytes);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptor_bytes);
    std::memcpy(CMSG_DATA(header), descriptors.data(), descriptor_bytes);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
}

// Receives one message of at most `size` bytes. The descriptors that came with
// it are the caller's, and close on exec. Returns its size, 0 at a hang-up, or
// -1 and errno. Blocks as the socket does.
inline ssize_t ReceiveMessage(int socket, void* bytes, size_t size,
                              std::vector<int>* descriptors) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostDescriptors)];
  iovec part{bytes, size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  descriptors->clear();
  if (got < 0) return got;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    const size_t before = descriptors->size();
    descriptors->resize(before + count);
    std::memcpy(descriptors->data() + before, CMSG_DATA(header),
                count * sizeof(int));
  }
  return got;
}

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_DESCRIPTOR_MESSAGE_H_
