// Runs replicas of stowaged that share a PostgreSQL database.
//
//   Replicas replicas(/*count=*/2);
//   std::unique_ptr<Client> client = replicas.Connect();
//   replicas.Kill(0);
//   replicas.Start(0);   // at the address that it had
#ifndef STOWAGE_TESTS_E2E_SERVER_REPLICAS_H_
#define STOWAGE_TESTS_E2E_SERVER_REPLICAS_H_

#include <signal.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/e2e/server/stowaged_process.h"
#include "tests/unit/server/storage/postgres_server.h"

namespace stowage {

// Not thread-safe, but for addresses() and Connect().
class Replicas {
 public:
  // Waits until all of them are ready.
  explicit Replicas(int count, std::vector<std::string> flags = {})
      : flags_(std::move(flags)),
        url_(postgres_.NewDatabase()),
        processes_(count),
        addresses_(count, "127.0.0.1:0") {
    for (int i = 0; i < count; ++i) Start(i);
  }

  // Starts the replica, at the address that it had, and waits until it is
  // ready.
  void Start(int number) {
    std::vector<std::string> arguments = {
        "--db=" + url_, "--listen=" + addresses_[number], "--training-nice=0"};
    arguments.insert(arguments.end(), flags_.begin(), flags_.end());
    auto& process = processes_[number];
    process = std::make_unique<StowagedProcess>(arguments);
    ASSERT_TRUE(process->WaitReady()) << process->output();
    // Threads that connect read it while a replica starts anew.
    if (addresses_[number] != process->grpc_address()) {
      addresses_[number] = process->grpc_address();
    }
  }

  void Kill(int number) {
    processes_[number]->Signal(SIGKILL);
    processes_[number]->Wait();
  }

  // Ends the replica as an operator does.
  void Terminate(int number) {
    processes_[number]->Signal(SIGTERM);
    EXPECT_EQ(processes_[number]->Wait(), 0) << processes_[number]->output();
  }

  StowagedProcess& process(int number) { return *processes_[number]; }
  PostgresServer& postgres() { return postgres_; }
  const std::string& url() const { return url_; }
  const std::string& address(int number) const { return addresses_[number]; }
  std::string addresses() const { return absl::StrJoin(addresses_, ","); }

  // Connects to whichever replica answers.
  std::unique_ptr<Client> Connect(const ClientOptions& options = {}) const {
    return Client::Connect(addresses(), options).value();
  }
  // Connects to one of them.
  std::unique_ptr<Client> ConnectTo(int number,
                                    const ClientOptions& options = {}) const {
    return Client::Connect(addresses_[number], options).value();
  }

 private:
  const std::vector<std::string> flags_;
  PostgresServer postgres_;
  const std::string url_;
  std::vector<std::unique_ptr<StowagedProcess>> processes_;
  std::vector<std::string> addresses_;
};

}  // namespace stowage

#endif  // STOWAGE_TESTS_E2E_SERVER_REPLICAS_H_
