#include "client_sdk/runtime/session_client.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace stowage::runtime {
namespace {

constexpr int kAnswerTimeoutMs = 10'000;

std::string Errno(const std::string& what) {
  return what + ": " + strerror(errno);
}

// Receives `welcome` and the descriptors that travel with it.
std::string ReceiveWelcome(int socket, session::Welcome* welcome,
                           std::vector<int>* fds) {
  pollfd ready{socket, POLLIN, 0};
  if (poll(&ready, 1, kAnswerTimeoutMs) <= 0) {
    return "the agent does not answer; look at its log";
  }
  alignas(
      cmsghdr) char control[CMSG_SPACE(sizeof(int) * (session::kMaxTiers + 1))];
  iovec part{welcome, sizeof(*welcome)};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (got != sizeof(*welcome) || welcome->magic != session::kMagic ||
      welcome->version != session::kVersion) {
    return "the agent speaks another version of the session protocol; install "
           "the same release of agent and plug-in";
  }
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_type != SCM_RIGHTS) continue;
    const int* first = reinterpret_cast<const int*>(CMSG_DATA(header));
    fds->assign(first, first + (header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
  }
  return "";
}

}  // namespace

std::string SessionClient::Connect(const std::string& socket_path,
                                   const session::Hello& hello) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof(address.sun_path)) {
    return "the path of the agent's socket is too long: " + socket_path;
  }
  memcpy(address.sun_path, socket_path.data(), socket_path.size());
  socket_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return Errno("socket");
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address),
              sizeof(address)) != 0) {
    return Errno("cannot reach the agent at " + socket_path);
  }
  // An agent that is full refuses without having heard anything.
  const bool heard =
      send(socket_, &hello, sizeof(hello), MSG_NOSIGNAL) == sizeof(hello);
  const std::string not_heard = Errno("cannot send to the agent");
  std::vector<int> fds;
  std::string error = ReceiveWelcome(socket_, &welcome_, &fds);
  if (!error.empty()) return heard ? error : not_heard;
  if (!welcome_.accepted) return welcome_.error;
  return Map(fds);
}

std::string SessionClient::Map(const std::vector<int>& fds) {
  if (welcome_.tier_count < 2 || welcome_.tier_count > session::kMaxTiers ||
      fds.size() != welcome_.tier_count + 1 ||
      welcome_.segment_bytes < sizeof(session::Segment)) {
    return "the agent's welcome is malformed";
  }
  void* mapped = mmap(nullptr, sizeof(session::Segment), PROT_READ | PROT_WRITE,
                      MAP_SHARED, fds[0], 0);
  close(fds[0]);
  if (mapped == MAP_FAILED) return Errno("cannot map the session segment");
  segment_ = static_cast<session::Segment*>(mapped);

  for (uint32_t i = 0; i < welcome_.tier_count; ++i) {
    MappedTier tier{welcome_.tiers[i], fds[i + 1], nullptr};
    const size_t bytes = tier.info.capacity_bytes;
    mapped = tier.addressable()
                 ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE, tier.fd, 0)
                 : mmap(nullptr, bytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return Errno("cannot map a tier's arena");
    // Hosts that forbid it for shared memory say so, or do nothing.
    if (tier.addressable()) madvise(mapped, bytes, MADV_HUGEPAGE);
    tier.base = static_cast<char*>(mapped);
    tiers_.push_back(tier);
  }
  alive_ = true;
  return "";
}

bool SessionClient::AgentAlive() {
  if (!alive_) return false;
  char byte;
  const ssize_t got =
      recv(socket_, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
    alive_ = false;
  }
  return alive_;
}

void SessionClient::CloseSocket() {
  alive_ = false;
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

}  // namespace stowage::runtime
