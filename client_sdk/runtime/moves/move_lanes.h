// The process's end of the move lanes.
//
//   uint64_t ticket = lanes.Issue(session::kLaneOut, from, to, bytes);
//   // The process goes on while the agent copies.
//   int error = lanes.Wait(session::kLaneOut, ticket);   // 0: copied
//
// Thread-compatible: the Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_MOVES_MOVE_LANES_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_MOVES_MOVE_LANES_H_

#include <cstdint>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/connection/session_client.h"

namespace stowage::runtime {

class MoveLanes {
 public:
  explicit MoveLanes(SessionClient* client) : client_(client) {}

  // Hands a copy to the agent, needed by `deadline_ns` as session::MoveRequest
  // has it. Waits for the oldest one while the lane is full.
  uint64_t Issue(session::Lane lane, Place from, Place to, int64_t bytes,
                 int64_t deadline_ns = 0);

  // Blocks until the copy is done. If the agent is gone the process does what
  // is left itself. Returns 0 or an errno; then the source is whole.
  int Wait(session::Lane lane, uint64_t ticket);

  bool Done(session::Lane lane, uint64_t ticket) const;

  // Does all copies that an agent which is gone has left.
  void Settle();

  // Returns for how long the lanes have copied until `now_ns`.
  session::LaneTimes CopiedNs(int64_t now_ns) const;

 private:
  session::MoveLane& lane(session::Lane which) const {
    return client_->segment()->lanes[which];
  }
  void CompleteWithoutAgent(session::Lane which);

  SessionClient* client_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_MOVES_MOVE_LANES_H_
