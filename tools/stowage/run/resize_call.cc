#include "tools/stowage/run/resize_call.h"

#include <poll.h>
#include <sys/socket.h>

#include <iostream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client_sdk/session/session.h"
#include "network/owned_fd.h"
#include "tools/stowage/run/agent_call.h"

namespace stowage::cli {
namespace {

constexpr int kTellMs = 3'000;
// A little longer than the agent waits for the job.
constexpr int kMostMs = session::kResizePatienceNs / 1'000'000 + 10'000;

bool AwaitAnswer(int socket) {
  pollfd ready{socket, POLLIN, 0};
  if (poll(&ready, 1, kTellMs) > 0) return true;
  std::cerr << "stowage: waiting for the job to end its step\n";
  return poll(&ready, 1, kMostMs - kTellMs) > 0;
}

}  // namespace

absl::StatusOr<session::ResizeAnswer> CallForResize(const std::string& socket,
                                                    const std::string& job,
                                                    const std::string& limit) {
  session::ResizeRequest request{};
  request.magic = session::kResizeMagic;
  request.version = session::kVersion;
  if (!FillField(job, request.job) || !FillField(limit, request.limit)) {
    return absl::InvalidArgumentError(
        "the name of the job or the limit is too long");
  }
  const absl::StatusOr<OwnedFd> connected = ConnectToAgent(socket);
  if (!connected.ok()) return connected.status();
  send(connected->get(), &request, sizeof(request), MSG_NOSIGNAL);
  session::ResizeAnswer answer{};
  if (!AwaitAnswer(connected->get()) ||
      recv(connected->get(), &answer, sizeof(answer), 0) !=
          static_cast<ssize_t>(sizeof(answer)) ||
      answer.magic != session::kResizeMagic) {
    return absl::UnavailableError(
        absl::StrCat("the agent at '", socket,
                     "' gave no answer; it may be stopping, or be of another "
                     "release: look at its log"));
  }
  answer.text[sizeof(answer.text) - 1] = '\0';
  answer.job_id[sizeof(answer.job_id) - 1] = '\0';
  return answer;
}

}  // namespace stowage::cli
