// Keeps the process's end of a session with the node agent.
//
//   SessionClient client;
//   std::string error = client.Connect(socket_path, hello);
//   if (error.empty()) client.segment()->report.limit_bytes = limit_bytes;
//   // When AgentAlive() says that the agent is gone:
//   bool is_back = client.ComeBack(limit, &error);
//
// Owns the socket, the descriptors and the mappings until the process ends.
// Not thread-safe, except AgentAlive().
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_SESSION_CLIENT_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_SESSION_CLIENT_H_

#include <atomic>
#include <string>
#include <vector>

#include "client_sdk/session/session.h"

namespace stowage::runtime {

// One tier as the process sees it.
struct MappedTier {
  session::TierInfo info;
  int fd = -1;
  // Addressable: the arena. A file: reserved addresses that fault.
  char* base = nullptr;
  // Of a file whose pages have checksums: see page_sums.h. Null: they have none.
  std::atomic<uint64_t>* sums = nullptr;

  bool addressable() const {
    return (info.flags & session::kTierAddressable) != 0;
  }
  bool Contains(const void* address) const {
    const char* p = static_cast<const char*>(address);
    return p >= base && p < base + info.capacity_bytes;
  }
};

class SessionClient {
 public:
  // Says hello and maps what comes back. Returns what went wrong and what to
  // do, or an empty string. Blocks until the agent answers, a good minute at
  // most: it may be started again at the moment, or wait for memory that other
  // jobs give back. Says so.
  std::string Connect(const std::string& socket_path,
                      const session::Hello& hello);
  // Goes over to the agent that listens at the same path now, with all that the
  // job has: its segment, arenas and limit. Nothing may be under way in the
  // lanes. Afterwards welcome() is that of the new agent. Returns false if that
  // is impossible, and says why in `error` unless nobody listens there. Blocks
  // for some seconds at most.
  bool ComeBack(const session::LimitOrder& limit, std::string* error);
  // Returns whether somebody may listen at that path. Does not block.
  bool AgentMayBeBack() const;

  const session::Welcome& welcome() const { return welcome_; }
  session::Segment* segment() const { return segment_; }
  const std::vector<MappedTier>& tiers() const { return tiers_; }

  // Returns false once the agent has hung up. Does not block.
  bool AgentAlive();

  // Lets go of the socket in a forked child, so that the agent sees the hang-up
  // of the parent alone.
  void CloseSocket();

 private:
  std::string Map(const std::vector<int>& fds);
  std::string MapSums(MappedTier* tier) const;
  bool Suits(const session::Welcome& welcome) const;

  std::string socket_path_;
  session::Hello hello_{};
  session::Welcome welcome_{};
  int segment_fd_ = -1;
  int sums_fd_ = -1;
  session::Segment* segment_ = nullptr;
  std::vector<MappedTier> tiers_;
  std::atomic<int> socket_{-1};
  std::atomic<bool> alive_{false};
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_SESSION_CLIENT_H_
