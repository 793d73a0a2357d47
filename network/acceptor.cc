#include "network/acceptor.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "network/unix_socket.h"

namespace stowage {
namespace {

// How long the thread waits, for others to be closed, before it tries again.
constexpr int kPauseMs = 50;

int DescriptorLimit() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, INT_MAX));
}

}  // namespace

Acceptor::Acceptor(ListeningSockets listening, const Options& options,
                   std::function<void(OwnedFd)> take)
    : listening_(std::move(listening)),
      first_spare_descriptor_(DescriptorLimit() - options.spare_descriptors),
      on_refused_(options.on_refused),
      take_(std::move(take)) {}

Acceptor::~Acceptor() {
  if (thread_.joinable()) {
    eventfd_write(stop_.get(), 1);
    thread_.join();
  }
  const std::string path = UnixSocketPath(listening_.address);
  if (!path.empty()) unlink(path.c_str());
}

absl::Status Acceptor::Start() {
  stop_ = OwnedFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop_.valid()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot accept connections at ", address(), ": ",
                     std::strerror(errno), "; raise the limit with ulimit -n"));
  }
  thread_ = std::thread([this] { Run(); });
  return absl::OkStatus();
}

void Acceptor::Run() {
  std::vector<pollfd> polled = {{.fd = stop_.get(), .events = POLLIN}};
  for (const OwnedFd& socket : listening_.sockets) {
    polled.push_back({.fd = socket.get(), .events = POLLIN});
  }
  for (;;) {
    poll(polled.data(), polled.size(), /*timeout=*/-1);
    if (polled[0].revents != 0) return;
    bool exhausted = false;
    for (size_t i = 1; i < polled.size(); ++i) {
      if (polled[i].revents == 0) continue;
      exhausted |= !AcceptOne(listening_.sockets[i - 1]);
    }
    // The listening sockets stay readable, so poll for the end alone.
    if (exhausted && poll(polled.data(), 1, kPauseMs) > 0) return;
  }
}

bool Acceptor::AcceptOne(const OwnedFd& socket) {
  OwnedFd connection(accept4(socket.get(), /*addr=*/nullptr,
                             /*addrlen=*/nullptr,
                             SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!connection.valid()) {
    return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
  }
  // The kernel gives out the lowest free number. If a connection gets a spare
  // one, all those below are taken.
  if (connection.get() < first_spare_descriptor_) {
    take_(std::move(connection));
  } else {
    on_refused_();
  }
  return true;
}

}  // namespace stowage
