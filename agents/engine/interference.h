// Measures by how much copies slow the kernels that run beside them.
//
//   absl::StatusOr<Slowdowns> slowed = MeasureSlowdowns(mover, options);
//   slowed->in.memory();   // 0.3: 1.3 times as long, beside copies in
#ifndef STOWAGE_AGENTS_ENGINE_INTERFERENCE_H_
#define STOWAGE_AGENTS_ENGINE_INTERFERENCE_H_

#include "absl/status/statusor.h"
#include "agents/engine/mover.h"
#include "agents/engine/trial_copies.h"
#include "stowage/v1/memory_system.pb.h"

namespace stowage::agent {

// Beside copies out of the fast tier, and into it.
struct Slowdowns {
  v1::Slowdown out, in;
};

// Runs kernels on all cores, alone and beside copies of the largest size, in
// turns, as often as `options` repeats copies; rounds to percents. `mover` has
// the rooms of MakeTrialRooms(). Blocks: six kernels each time, of some 10 ms.
// Errors are those of copies.
absl::StatusOr<Slowdowns> MeasureSlowdowns(const Mover& mover,
                                           const CalibrationOptions& options);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_INTERFERENCE_H_
