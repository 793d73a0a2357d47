// Serves the two move lanes of a job. Each lane has a thread, which carries out
// the requests in order and reports each. Waiting requests that continue one
// another in both tiers become one copy (DeepTM III-C2, contiguous migration).
//
//   Migrator migrator(segment->lanes, std::move(rooms), on_failure);
//   // The job issues moves and sees them complete.
//   // Destroyed: the move under way ends, the rest stays undone.
#ifndef STOWAGE_AGENTS_ENGINE_MIGRATOR_H_
#define STOWAGE_AGENTS_ENGINE_MIGRATOR_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "agents/engine/job_usage.h"
#include "agents/engine/mover.h"
#include "agents/engine/tier_room.h"
#include "client_sdk/session/session.h"
#include "timing/bell.h"

namespace stowage::agent {

// The lanes lie in memory that an untrusted process writes at any time. So the
// migrator copies each request once, checks the copy and uses that, and keeps
// its own counts here. Stamps use CLOCK_MONOTONIC.
class Migrator {
 public:
  // A lane's thread calls it with an order that failed and its errno.
  using OnFailure = std::function<void(const MoveOrder&, int error)>;
  // It calls this with each copy that succeeded, what it took, and for how long
  // of that the other lane copied, too.
  using OnCopied = std::function<void(const MoveOrder&, int64_t duration_ns,
                                      int64_t beside_ns)>;

  // `lanes` points to kLaneCount lanes. They and `usage`, for which the threads
  // count before they report a move, must outlive the migrator; `usage` may be
  // null. Starts the threads.
  Migrator(session::MoveLane* lanes, std::vector<TierRoom> rooms,
           OnFailure on_failure, OnCopied on_copied = nullptr,
           JobUsage* usage = nullptr);
  // Blocks until the moves under way are done.
  ~Migrator();
  Migrator(const Migrator&) = delete;
  Migrator& operator=(const Migrator&) = delete;

  const std::vector<TierRoom>& rooms() const { return rooms_; }

 private:
  // What session::CopiedNs() reads, where no job writes.
  struct LaneTime {
    std::atomic<int64_t> copying_since_ns = 0;
    std::atomic<int64_t> copied_ns = 0;
  };

  void Serve(int lane_index);
  uint64_t ServeRun(int lane_index, uint64_t first, uint64_t issued);
  // Carries out an order of a lane and tells what it took. Returns an errno.
  int Copy(int lane_index, const MoveOrder& order, int64_t begin_ns);
  void Answer(const MoveOrder& order, int error,
              session::MoveRequest& request) const;
  void WaitForRequests(session::MoveLane& lane, uint64_t completed) const;

  session::MoveLane* const lanes_;
  const std::vector<TierRoom> rooms_;
  const OnFailure on_failure_;
  const OnCopied on_copied_;
  JobUsage* const usage_;
  Bell stop_;
  const Mover mover_;
  std::array<LaneTime, session::kLaneCount> times_;  // by lane
  std::vector<std::thread> threads_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_MIGRATOR_H_
