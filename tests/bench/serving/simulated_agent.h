// Does what the agent of a host with running jobs does to the service.
//
//   SimulatedAgent agent(address, /*number=*/7, /*jobs=*/10);
//   absl::Status started = agent.Start();
//   agent.Stop();
//   std::cout << agent.acknowledged() << "\n";
#ifndef STOWAGE_TESTS_BENCH_SERVING_SIMULATED_AGENT_H_
#define STOWAGE_TESTS_BENCH_SERVING_SIMULATED_AGENT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client_sdk/cpp/client.h"
#include "timing/bell.h"

namespace stowage {

// Has a connection of its own. Each job ends a step a second.
class SimulatedAgent {
 public:
  static constexpr absl::Duration kStep = absl::Seconds(1);
  static constexpr absl::Duration kHeartbeat = absl::Seconds(5);

  SimulatedAgent(std::string address, int number, int jobs);
  // Calls Stop().
  ~SimulatedAgent();

  // Registers node and jobs, and goes on in a thread. Blocks.
  absl::Status Start();
  void Stop();

  // Steps that were sent and acknowledged, and calls and streams that failed.
  int64_t acknowledged() const { return acknowledged_; }
  int64_t failures() const { return failures_; }

 private:
  std::string JobId(int job) const;
  void Run();
  void SendSteps(int64_t index);

  const std::string address_;
  const std::string node_;
  const int number_;
  const int jobs_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<TelemetryStream> stream_;
  std::atomic<int64_t> acknowledged_ = 0;
  std::atomic<int64_t> failures_ = 0;
  Bell stop_;
  std::thread thread_;
};

}  // namespace stowage

#endif  // STOWAGE_TESTS_BENCH_SERVING_SIMULATED_AGENT_H_
