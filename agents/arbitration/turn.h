// Decides which of the copies that wait for a medium is made next: of the jobs
// that have had their share, and no more, the one whose copy is needed first.
//
//   std::vector<Waiting> waiting = {{.deadline_ns = 9, .ahead_bytes = 0}};
//   size_t next = NextTurn(waiting);
#ifndef STOWAGE_AGENTS_ARBITRATION_TURN_H_
#define STOWAGE_AGENTS_ARBITRATION_TURN_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "agents/arbitration/medium_shares.h"

namespace stowage::agent {

// A copy, or a piece of one, as the medium sees it.
struct Turn {
  JobKey job = nullptr;
  int64_t deadline_ns = 0;  // CLOCK_MONOTONIC; see session::MoveRequest
  int64_t bytes = 0;
};

// A copy that waits for its turn.
struct Waiting {
  int64_t deadline_ns = 0;
  int64_t ahead_bytes = 0;  // MediumShares::AheadBytes() of its job
};

// Returns the index of the copy that goes next: the earliest deadline of those
// whose job is at most kMostAheadBytes ahead; of equal deadlines that of the
// job which has had less, then the one that waited first. `waiting` is not
// empty, and in the order of arrival. If all are further ahead, the jobs that
// are behind have copies under way, and the least ahead goes.
size_t NextTurn(absl::Span<const Waiting> waiting);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ARBITRATION_TURN_H_
