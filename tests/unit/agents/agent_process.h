// Runs a stowage-agent for one test, in a process of its own.
//
//   AgentProcess agent(directory.path(), {"--slow=emulated:cxl"});
//   FakeJob job(agent.socket(), {.fast = "1MiB"});
//   agent.Signal(SIGTERM);
//   EXPECT_EQ(agent.Wait(), 0);
#ifndef STOWAGE_TESTS_UNIT_AGENTS_AGENT_PROCESS_H_
#define STOWAGE_TESTS_UNIT_AGENTS_AGENT_PROCESS_H_

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stowage::agent {

class AgentProcess {
 public:
  // Listens in `directory` and leaves its reports there. Blocks until it is
  // ready or has ended.
  AgentProcess(const std::string& directory, std::vector<std::string> flags)
      : socket_(directory + "/agent.sock") {
    const std::string ready = directory + "/ready";
    flags.insert(
        flags.begin(),
        {STOWAGE_BINARY_DIR "/bin/stowage-agent", "--socket=" + socket_,
         "--report-dir=" + directory, "--ready-file=" + ready});
    pid_ = fork();
    if (pid_ == 0) Execute(flags);
    while (!std::filesystem::exists(ready) && !HasEnded()) {
      std::this_thread::yield();
    }
  }
  ~AgentProcess() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;

  const std::string& socket() const { return socket_; }

  void Signal(int signal) const { kill(pid_, signal); }

  // Blocks until it has ended. Returns its exit code, or 128 and the signal.
  int Wait() {
    if (pid_ > 0) waitpid(std::exchange(pid_, -1), &status_, 0);
    return ExitCode();
  }

 private:
  [[noreturn]] static void Execute(const std::vector<std::string>& flags) {
    std::vector<char*> argv;
    for (const std::string& flag : flags) {
      argv.push_back(const_cast<char*>(flag.c_str()));
    }
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }

  bool HasEnded() {
    if (pid_ > 0 && waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = -1;
    return pid_ < 0;
  }

  int ExitCode() const {
    return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_)
                                : WEXITSTATUS(status_);
  }

  const std::string socket_;
  pid_t pid_ = -1;
  int status_ = 0;
};

}  // namespace stowage::agent

#endif  // STOWAGE_TESTS_UNIT_AGENTS_AGENT_PROCESS_H_
