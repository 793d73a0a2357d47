// Runs a stowaged of the test's own, in a process of its own.
//
//   StowagedProcess server({"--db=" + directory.path() + "/a.db"});
//   ASSERT_TRUE(server.WaitReady());
//   std::unique_ptr<Client> client = server.Connect();
//   server.Signal(SIGTERM);
//   EXPECT_EQ(server.Wait(), 0);
#ifndef STOWAGE_TESTS_E2E_SERVER_STOWAGED_PROCESS_H_
#define STOWAGE_TESTS_E2E_SERVER_STOWAGED_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "client_sdk/cpp/client.h"
#include "tests/unit/server/testing.h"

namespace stowage {

// Listens at free ports, with a database in memory, unless the arguments say
// otherwise. Not thread-safe. Its end kills the process.
class StowagedProcess {
 public:
  explicit StowagedProcess(const std::vector<std::string>& arguments = {},
                           const std::vector<std::string>& environment = {});
  // Starts a server with exactly these arguments.
  static std::unique_ptr<StowagedProcess> Bare(
      const std::vector<std::string>& arguments,
      const std::vector<std::string>& environment = {});
  // Starts a server with the defaults, by a script of the shell such as "ulimit
  // -n 64; exec "$@"".
  static std::unique_ptr<StowagedProcess> Behind(
      const std::string& shell_script,
      const std::vector<std::string>& arguments = {});
  ~StowagedProcess();
  StowagedProcess(const StowagedProcess&) = delete;
  StowagedProcess& operator=(const StowagedProcess&) = delete;

  // Blocks until the server says that it listens; returns false if it ended
  // first.
  bool WaitReady();

  // Blocks until the output has `text`, behind what the last call of this found;
  // returns false if the server ended first.
  bool WaitForOutput(const std::string& text);

  // Returns the address of a server that is ready.
  const std::string& grpc_address() const { return grpc_address_; }
  const std::string& metrics_address() const { return metrics_address_; }
  const std::string& extender_address() const { return extender_address_; }
  std::unique_ptr<Client> Connect(const ClientOptions& options = {}) const;

  // Returns the process id, until Wait has returned.
  pid_t pid() const { return pid_; }

  // Sends `signal`. Blocks until the process has stopped if that is SIGSTOP.
  void Signal(int signal);
  // Blocks until the process ends; returns its exit status, or minus the signal
  // that killed it.
  int Wait();
  // Returns standard output and error so far; all of it after Wait.
  const std::string& output() const { return output_; }

 private:
  struct Verbatim {};
  StowagedProcess(Verbatim, const std::vector<std::string>& command,
                  const std::vector<std::string>& environment);

  // Reads some more output; returns false at its end.
  bool ReadOutput();

  TemporaryDirectory directory_;
  pid_t pid_ = -1;
  int output_fd_ = -1;
  std::string output_;
  size_t found_end_ = 0;  // of what WaitForOutput() found last
  std::string grpc_address_;
  std::string metrics_address_;
  std::string extender_address_;
};

}  // namespace stowage

#endif  // STOWAGE_TESTS_E2E_SERVER_STOWAGED_PROCESS_H_
