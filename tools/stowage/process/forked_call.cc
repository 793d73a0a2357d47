#include "tools/stowage/process/forked_call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"

namespace stowage::cli {
namespace {

void WriteAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

// Runs the call and ends the process. It also ends with the parent, however
// that ends.
[[noreturn]] void RunChild(pid_t parent, int fd,
                           absl::FunctionRef<std::string()> work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  WriteAll(fd, work());
  _exit(0);
}

int MillisecondsUntil(absl::Time deadline) {
  const int64_t ms = absl::ToInt64Milliseconds(deadline - absl::Now());
  return static_cast<int>(std::clamp<int64_t>(ms, 0, 1'000'000));
}

// Reads until the other side is closed. Returns false if the deadline comes
// first.
bool ReadAll(int fd, absl::Time deadline, std::string& output) {
  char buffer[4096];
  while (true) {
    pollfd ready{.fd = fd, .events = POLLIN};
    const int polled = poll(&ready, 1, MillisecondsUntil(deadline));
    if (polled < 0 && errno == EINTR) continue;
    if (polled == 0 && absl::Now() < deadline) continue;
    if (polled <= 0) return false;
    const ssize_t size = read(fd, buffer, sizeof(buffer));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size == 0;
    output.append(buffer, static_cast<size_t>(size));
  }
}

}  // namespace

absl::StatusOr<ForkedCall> ForkedCall::Start(
    absl::FunctionRef<std::string()> work) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot make a pipe: ", strerror(errno)));
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    close(fds[0]);
    RunChild(parent, fds[1], work);
  }
  close(fds[1]);
  if (pid < 0) {
    close(fds[0]);
    return absl::ResourceExhaustedError(absl::StrCat(
        "cannot start a process: ", strerror(errno),
        "; raise the limit on processes (ulimit -u) or free memory"));
  }
  return ForkedCall(pid, fds[0]);
}

ForkedCall::ForkedCall(ForkedCall&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), fd_(std::exchange(other.fd_, -1)) {}

ForkedCall& ForkedCall::operator=(ForkedCall&& other) noexcept {
  if (this == &other) return *this;
  Abandon();
  pid_ = std::exchange(other.pid_, -1);
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

ForkedCall::~ForkedCall() { Abandon(); }

void ForkedCall::Abandon() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  close(fd_);
  pid_ = -1;
}

absl::StatusOr<ForkedResult> ForkedCall::Finish(absl::Time deadline) {
  ForkedResult result;
  if (!ReadAll(fd_, deadline, result.output)) {
    Abandon();
    return absl::DeadlineExceededError("it took too long and was stopped");
  }
  int status = 0;
  rusage usage{};
  while (wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  close(fd_);
  pid_ = -1;
  if (WIFSIGNALED(status)) {
    return absl::InternalError(absl::StrCat("its process was ended by signal ",
                                            WTERMSIG(status), " (",
                                            strsignal(WTERMSIG(status)), ")"));
  }
  if (WEXITSTATUS(status) != 0) {
    return absl::InternalError(
        absl::StrCat("its process ended with status ", WEXITSTATUS(status)));
  }
  result.peak_rss_bytes = int64_t{usage.ru_maxrss} * 1024;
  return result;
}

std::vector<absl::StatusOr<ForkedResult>> RunForked(
    const ForkedCalls& calls, absl::FunctionRef<std::string(size_t)> work,
    absl::FunctionRef<void(size_t)> begins) {
  struct Running {
    absl::StatusOr<ForkedCall> call;
    absl::Time deadline;
  };
  std::deque<Running> running;  // the oldest first
  std::vector<absl::StatusOr<ForkedResult>> results;
  const auto finish_oldest = [&] {
    Running& oldest = running.front();
    results.push_back(oldest.call.ok()
                          ? oldest.call->Finish(oldest.deadline)
                          : absl::StatusOr<ForkedResult>(oldest.call.status()));
    running.pop_front();
  };
  for (size_t i = 0; i < calls.count; ++i) {
    if (running.size() >= static_cast<size_t>(std::max(calls.jobs, 1))) {
      finish_oldest();
    }
    begins(i);
    running.push_back({ForkedCall::Start([&] { return work(i); }),
                       absl::Now() + calls.give_up_after});
  }
  while (!running.empty()) finish_oldest();
  return results;
}

}  // namespace stowage::cli
