// Plays an agent of one session, on a thread of the test: it greets the
// process, executes its moves, answers its profiles, and hangs up when told to.
//
//   FakeAgent agent({.slow_is_file = true});
//   SessionClient client;
//   ASSERT_EQ(client.Connect(agent.socket_path(), FakeAgent::Hello()), "");
//   agent.HoldMoves();
//   agent.HangUp();
#ifndef STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_FAKE_AGENT_H_
#define STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_FAKE_AGENT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/session/session.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::runtime {

// Fills the plan in and returns true, or returns false if this profile gets
// none.
using Planner = std::function<bool(const session::ProfileArea& profile,
                                   session::PlanArea* plan)>;

// Fills in the answer to a situation.
using Adviser = std::function<void(const session::SituationArea& situation,
                                   session::HintArea* hints)>;

struct FakeAgentOptions {
  int64_t fast_bytes = 16 << 20;
  int64_t slow_bytes = 64 << 20;
  // If false, the slow tier is memory.
  bool slow_is_file = true;
  int64_t limit_bytes = 0;
  double limit_fraction = 0;
  bool finds_limit = false;
  std::string refusal;  // empty: the session is accepted
  uint32_t version = session::kVersion;
  int64_t copy_to_slow_ps_per_byte = 0;
  int64_t slow_kernel_read_ps_per_byte = 0;
  Planner planner = nullptr;  // null: every profile is refused
  Adviser adviser = nullptr;  // null: situations are left without an answer
};

// Thread-safe after construction, except for UseMappingsOf(), segment() and
// tiers().
class FakeAgent {
 public:
  explicit FakeAgent(const FakeAgentOptions& options);
  ~FakeAgent();
  FakeAgent(const FakeAgent&) = delete;
  FakeAgent& operator=(const FakeAgent&) = delete;

  static session::Hello Hello();

  const std::string& socket_path() const { return socket_path_; }
  const std::string& directory() const { return directory_.path(); }

  // Makes the agent read and write through the mappings of `client`, which is
  // connected to it. The thread sanitizer knows memory by its address: only so
  // does it see what process and agent do to the same bytes, and what they
  // synchronise by.
  void UseMappingsOf(const SessionClient& client);
  // Returns the agent's mapping.
  session::Segment& segment() { return *segment_; }
  // Returns the agent's descriptors and mappings of memory tiers.
  const std::vector<MappedTier>& tiers() const { return tiers_; }

  // Holds moves and answers: when this returns, none is under way and none will
  // be executed or given.
  void HoldMoves();
  // Lets moves fail with this errno from now on; 0: they succeed again.
  void FailMovesWith(int error_number) { move_error_ = error_number; }
  int64_t moves_executed() const { return moves_executed_; }

  // Ends the session; blocks until no thread of the agent is left.
  void HangUp();

 private:
  void Serve();
  void Greet(int connection);
  void ServeOnce();
  void ExecuteMoves(session::MoveLane* lane);
  void AnswerProfile();
  void AnswerSituation();
  char* Map(int fd, int64_t bytes);
  MappedTier MakeTier(const char* name, int fd, int64_t bytes,
                      bool addressable);

  FakeAgentOptions options_;
  agent::TempDirectory directory_;
  std::string socket_path_;
  int listener_ = -1;
  int segment_fd_ = -1;
  // The agent's own, until it is destroyed.
  std::vector<std::pair<char*, int64_t>> mappings_;
  session::Segment* segment_ = nullptr;
  std::vector<MappedTier> tiers_;
  std::mutex serving_;
  bool hold_moves_ = false;  // guarded by serving_
  std::atomic<int> move_error_{0};
  std::atomic<int64_t> moves_executed_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_FAKE_AGENT_H_
