#include "tests/e2e/server/stowaged_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <utility>

namespace stowage {
namespace {

// Returns pointers for execve; the strings must outlive them.
std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts the child, whose output goes to `output_fd`. Aborts if it cannot be
// started, since no test can go on then.
pid_t Spawn(std::vector<std::string> command,
            std::vector<std::string> environment, int output_fd) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output_fd, STDERR_FILENO);
  pid_t pid = -1;
  const int error =
      posix_spawn(&pid, command[0].c_str(), &actions, /*attrp=*/nullptr,
                  Pointers(command).data(), Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) std::abort();
  return pid;
}

std::vector<std::string> Defaults() {
  return {"STOWAGE_LISTEN=127.0.0.1:0", "STOWAGE_METRICS_ADDRESS=127.0.0.1:0",
          "STOWAGE_DB=:memory:"};
}

std::vector<std::string> Joined(std::vector<std::string> first,
                                const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

StowagedProcess::StowagedProcess(const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& environment)
    : StowagedProcess(Verbatim(), Joined({STOWAGED_PATH}, arguments),
                      Joined(Defaults(), environment)) {}

std::unique_ptr<StowagedProcess> StowagedProcess::Bare(
    const std::vector<std::string>& arguments,
    const std::vector<std::string>& environment) {
  return std::unique_ptr<StowagedProcess>(new StowagedProcess(
      Verbatim(), Joined({STOWAGED_PATH}, arguments), environment));
}

std::unique_ptr<StowagedProcess> StowagedProcess::Behind(
    const std::string& shell_script,
    const std::vector<std::string>& arguments) {
  return std::unique_ptr<StowagedProcess>(new StowagedProcess(
      Verbatim(),
      Joined({"/bin/sh", "-c", shell_script, "sh", STOWAGED_PATH}, arguments),
      Defaults()));
}

StowagedProcess::StowagedProcess(Verbatim,
                                 const std::vector<std::string>& command,
                                 const std::vector<std::string>& environment) {
  std::array<int, 2> output;
  if (pipe2(output.data(), O_CLOEXEC) != 0) std::abort();
  std::vector<std::string> all = Joined(
      environment, {"STOWAGE_PORT_FILE=" + directory_.path() + "/ports"});
  // What the thread sanitizer leaves out of the tests it leaves out of the
  // daemon, too.
  if (const char* options = std::getenv("TSAN_OPTIONS"); options != nullptr) {
    all.push_back(std::string("TSAN_OPTIONS=") + options);
  }
  pid_ = Spawn(command, std::move(all), output[1]);
  close(output[1]);
  output_fd_ = output[0];
}

StowagedProcess::~StowagedProcess() {
  if (pid_ > 0) {
    Signal(SIGKILL);
    Wait();
  }
  close(output_fd_);
}

bool StowagedProcess::ReadOutput() {
  std::array<char, 4096> buffer;
  const ssize_t size_bytes = read(output_fd_, buffer.data(), buffer.size());
  if (size_bytes <= 0) return false;
  output_.append(buffer.data(), size_bytes);
  return true;
}

bool StowagedProcess::WaitForOutput(const std::string& text) {
  size_t found;
  while ((found = output_.find(text, found_end_)) == std::string::npos) {
    if (!ReadOutput()) return false;
  }
  found_end_ = found + text.size();
  return true;
}

bool StowagedProcess::WaitReady() {
  if (!WaitForOutput("listening at")) return false;
  std::ifstream ports(directory_.path() + "/ports");
  return std::getline(ports, grpc_address_) &&
         std::getline(ports, metrics_address_) &&
         std::getline(ports, extender_address_);
}

std::unique_ptr<Client> StowagedProcess::Connect(
    const ClientOptions& options) const {
  return *Client::Connect(grpc_address_, options);
}

void StowagedProcess::Signal(int signal) {
  kill(pid_, signal);
  // Its threads run on until each of them has seen the signal.
  if (signal == SIGSTOP) waitid(P_PID, pid_, nullptr, WSTOPPED | WNOWAIT);
}

int StowagedProcess::Wait() {
  while (ReadOutput()) {
  }
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace stowage
