// Says when a job whose agent is gone looks for another one.
//
//   AgentReturn search;
//   if (search.IsDue(now_ns)) {
//     if (!ComeBack()) search.NoteNotFound(session::NowNs(), /*dear=*/false);
//   }
//
// Pure; the Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_AGENT_RETURN_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_AGENT_RETURN_H_

#include <algorithm>
#include <cstdint>

namespace stowage::runtime {

class AgentReturn {
 public:
  static constexpr int64_t kFirstPauseNs = 200'000'000;
  static constexpr int64_t kLongestPauseNs = 30'000'000'000;

  bool IsDue(int64_t now_ns) const { return now_ns >= next_ns_; }
  void NoteFound() { *this = {}; }
  // Waits longer after each search that was `dear`: one that took time, or got
  // a refusal.
  void NoteNotFound(int64_t now_ns, bool dear) {
    next_ns_ = now_ns + pause_ns_;
    if (dear) pause_ns_ = std::min(2 * pause_ns_, kLongestPauseNs);
  }

 private:
  int64_t next_ns_ = 0;
  int64_t pause_ns_ = kFirstPauseNs;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_AGENT_RETURN_H_
