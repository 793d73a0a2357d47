// Lets send(2), recv(2) and their kin work on memory that is evicted.
//
// Calls with MSG_ZEROCOPY go to the kernel, which refuses them: the buffer
// would have to stay as it is after the call.
#include <sys/socket.h>
#include <sys/uio.h>

#include "client_sdk/preload/bounce.h"
#include "client_sdk/preload/message.h"
#include "client_sdk/preload/real.h"
#include "client_sdk/preload/slow_ranges.h"

#define STOWAGE_EXPORT __attribute__((visibility("default")))

namespace stowage::preload {
namespace {

Real<"send", ssize_t(int, const void*, size_t, int)> g_send;
Real<"sendto",
     ssize_t(int, const void*, size_t, int, const sockaddr*, socklen_t)>
    g_sendto;
Real<"sendmsg", ssize_t(int, const msghdr*, int)> g_sendmsg;
Real<"sendmmsg", int(int, mmsghdr*, unsigned, int)> g_sendmmsg;
Real<"recv", ssize_t(int, void*, size_t, int)> g_recv;
Real<"recvfrom", ssize_t(int, void*, size_t, int, sockaddr*, socklen_t*)>
    g_recvfrom;
Real<"recvmsg", ssize_t(int, msghdr*, int)> g_recvmsg;
Real<"recvmmsg", int(int, mmsghdr*, unsigned, int, timespec*)> g_recvmmsg;

bool MustBounce(const void* buffer, size_t bytes, int flags) {
  return !(flags & MSG_ZEROCOPY) && TouchesSlowRange(buffer, bytes);
}

Parts PartsOf(const msghdr& message) {
  // The kernel refuses what does not fit an int.
  return {message.msg_iov, static_cast<int>(message.msg_iovlen)};
}

bool MustBounce(const msghdr* message, int flags) {
  return !(flags & MSG_ZEROCOPY) && TouchesSlowRange(PartsOf(*message));
}

// Returns whether a call goes on until the memory is full. One that peeks must
// not: it would see the same bytes again.
bool Fills(int flags) { return (flags & MSG_WAITALL) && !(flags & MSG_PEEK); }

// Descriptors and the like travel with the first piece.
ssize_t SendMessage(int fd, const msghdr& message, int flags) {
  const Parts parts = PartsOf(message);
  if (IsTooLongMessage(fd, TotalBytes(parts))) return -1;
  msghdr part_of = message;
  return WriteInPieces(parts, [&](char* piece, size_t bytes, size_t done) {
    iovec part{piece, bytes};
    part_of.msg_iov = &part;
    part_of.msg_iovlen = 1;
    if (done > 0) part_of.msg_controllen = 0;
    return g_sendmsg(fd, &part_of, flags);
  });
}

ssize_t ReceiveMessage(int fd, msghdr* message, int flags) {
  const msghdr asked = *message;
  return ReadInPieces(PartsOf(asked), Fills(flags),
                      [&](char* piece, size_t bytes, size_t done) {
                        iovec part{piece, bytes};
                        msghdr part_of = asked;
                        part_of.msg_iov = &part;
                        part_of.msg_iovlen = 1;
                        if (done > 0) part_of.msg_controllen = 0;
                        const ssize_t got = g_recvmsg(fd, &part_of, flags);
                        if (got < 0) return got;
                        if (done == 0)
                          message->msg_controllen = part_of.msg_controllen;
                        message->msg_namelen = part_of.msg_namelen;
                        message->msg_flags = part_of.msg_flags;
                        return got;
                      });
}

// Returns whether one of the first `count` messages is in memory that the
// kernel cannot reach.
bool AnyMustBounce(const mmsghdr* messages, unsigned count, int flags) {
  for (unsigned i = 0; i < count; ++i) {
    if (MustBounce(&messages[i].msg_hdr, flags)) return true;
  }
  return false;
}

}  // namespace
}  // namespace stowage::preload

using namespace stowage::preload;  // NOLINT: the functions are C's

extern "C" {

STOWAGE_EXPORT ssize_t sendto(int fd, const void* buffer, size_t bytes,
                              int flags, const sockaddr* address,
                              socklen_t address_bytes) {
  if (!MustBounce(buffer, bytes, flags)) {
    return g_sendto(fd, buffer, bytes, flags, address, address_bytes);
  }
  if (IsTooLongMessage(fd, bytes)) return -1;
  const iovec part{const_cast<void*>(buffer), bytes};
  return WriteInPieces({&part, 1}, [&](const char* piece, size_t n, size_t) {
    return g_sendto(fd, piece, n, flags, address, address_bytes);
  });
}

STOWAGE_EXPORT ssize_t send(int fd, const void* buffer, size_t bytes,
                            int flags) {
  if (!MustBounce(buffer, bytes, flags)) {
    return g_send(fd, buffer, bytes, flags);
  }
  return sendto(fd, buffer, bytes, flags, nullptr, 0);
}

STOWAGE_EXPORT ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  if (!MustBounce(message, flags)) return g_sendmsg(fd, message, flags);
  return SendMessage(fd, *message, flags);
}

// These calls may transfer fewer messages than they were asked to. Here they
// transfer one.
STOWAGE_EXPORT int sendmmsg(int fd, mmsghdr* messages, unsigned count,
                            int flags) {
  if (!AnyMustBounce(messages, count, flags)) {
    return g_sendmmsg(fd, messages, count, flags);
  }
  const ssize_t sent = sendmsg(fd, &messages[0].msg_hdr, flags);
  if (sent < 0) return -1;
  messages[0].msg_len = sent;
  return 1;
}

STOWAGE_EXPORT ssize_t recvfrom(int fd, void* buffer, size_t bytes, int flags,
                                sockaddr* address, socklen_t* address_bytes) {
  if (!TouchesSlowRange(buffer, bytes)) {
    return g_recvfrom(fd, buffer, bytes, flags, address, address_bytes);
  }
  const iovec part{buffer, bytes};
  return ReadInPieces(
      {&part, 1}, Fills(flags), [&](char* piece, size_t n, size_t) {
        return g_recvfrom(fd, piece, n, flags, address, address_bytes);
      });
}

STOWAGE_EXPORT ssize_t recv(int fd, void* buffer, size_t bytes, int flags) {
  if (!TouchesSlowRange(buffer, bytes)) {
    return g_recv(fd, buffer, bytes, flags);
  }
  return recvfrom(fd, buffer, bytes, flags, nullptr, nullptr);
}

STOWAGE_EXPORT ssize_t recvmsg(int fd, msghdr* message, int flags) {
  if (!TouchesSlowRange(PartsOf(*message))) {
    return g_recvmsg(fd, message, flags);
  }
  return ReceiveMessage(fd, message, flags);
}

STOWAGE_EXPORT int recvmmsg(int fd, mmsghdr* messages, unsigned count,
                            int flags, timespec* timeout) {
  if (!AnyMustBounce(messages, count, flags)) {
    return g_recvmmsg(fd, messages, count, flags, timeout);
  }
  mmsghdr& first = messages[0];
  const ssize_t got = recvmsg(fd, &first.msg_hdr, flags & ~MSG_WAITFORONE);
  if (got < 0) return -1;
  first.msg_len = got;
  return 1;
}

// _FORTIFY_SOURCE calls these where it knows how large the buffer is.
[[noreturn]] void __chk_fail();

STOWAGE_EXPORT ssize_t __recv_chk(int fd, void* buffer, size_t bytes,
                                  size_t buffer_bytes, int flags) {
  if (bytes > buffer_bytes) __chk_fail();
  return recv(fd, buffer, bytes, flags);
}

STOWAGE_EXPORT ssize_t __recvfrom_chk(int fd, void* buffer, size_t bytes,
                                      size_t buffer_bytes, int flags,
                                      sockaddr* address,
                                      socklen_t* address_bytes) {
  if (bytes > buffer_bytes) __chk_fail();
  return recvfrom(fd, buffer, bytes, flags, address, address_bytes);
}

}  // extern "C"
