#include "tools/stowage/process/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace stowage::cli {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(5);

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& s : strings) {
    pointers.push_back(const_cast<char*>(s.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

int ShellStatus(int wait_status) {
  if (WIFSIGNALED(wait_status)) return 128 + WTERMSIG(wait_status);
  return WEXITSTATUS(wait_status);
}

bool RedirectToLog(const char* path) {
  const int in = open("/dev/null", O_RDONLY);
  const int out = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (in < 0 || out < 0) return false;
  return dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0;
}

// Runs in the child between fork and exec, and makes async-signal-safe calls
// alone. Returns only on failure, and sets errno then.
void ExecChild(const ProcessOptions& options, pid_t parent, char* const* argv,
               char* const* environment) {
  if (options.detached) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(0);
  }
  if (!options.log_path.empty() && !RedirectToLog(options.log_path.c_str())) {
    return;
  }
  if (options.prints_to_stderr && dup2(2, 1) < 0) return;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvpe(argv[0], argv, environment);
}

// Returns the errno of the exec; 0 if it succeeded, which closes the pipe
// without a word.
int ReadExecError(int fd) {
  int error = 0;
  ssize_t got;
  do {
    got = read(fd, &error, sizeof(error));
  } while (got < 0 && errno == EINTR);
  return got == sizeof(error) ? error : 0;
}

}  // namespace

absl::StatusOr<ChildProcess> ChildProcess::Start(
    const ProcessOptions& options) {
  int exec_error[2];
  if (pipe2(exec_error, O_CLOEXEC) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a pipe");
  }
  const std::vector<char*> argv = Pointers(options.argv);
  const std::vector<char*> environment = Pointers(options.environment);
  char* const* envp =
      options.environment.empty() ? environ : environment.data();
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    ExecChild(options, parent, argv.data(), envp);
    const int error = errno;
    [[maybe_unused]] ssize_t sent = write(exec_error[1], &error, sizeof(error));
    _exit(127);
  }
  const int fork_error = errno;
  close(exec_error[1]);
  const int error = pid < 0 ? fork_error : ReadExecError(exec_error[0]);
  close(exec_error[0]);
  if (error == 0) return ChildProcess(pid);
  if (pid > 0) waitpid(pid, nullptr, 0);
  return absl::ErrnoToStatus(
      error, absl::StrCat("cannot run '", options.argv[0], "'"));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), exit_status_(other.exit_status_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(exit_status_, other.exit_status_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) Stop(absl::Seconds(1));
}

std::optional<int> ChildProcess::Poll() {
  int wait_status = 0;
  if (!exit_status_ && waitpid(pid_, &wait_status, WNOHANG) == pid_) {
    exit_status_ = ShellStatus(wait_status);
  }
  return exit_status_;
}

int ChildProcess::Wait() {
  int wait_status = 0;
  while (!exit_status_) {
    if (waitpid(pid_, &wait_status, 0) == pid_) {
      exit_status_ = ShellStatus(wait_status);
    }
  }
  return *exit_status_;
}

int ChildProcess::Stop(absl::Duration grace) {
  if (Poll()) return *exit_status_;
  kill(pid_, SIGTERM);
  const absl::Time deadline = absl::Now() + grace;
  while (!Poll() && absl::Now() < deadline) absl::SleepFor(kPollInterval);
  if (!exit_status_) kill(pid_, SIGKILL);
  return Wait();
}

}  // namespace stowage::cli
