// Says how long kernels take beside copies, by what the memory system says of
// them (Slowdown in memory_system.proto).
//
//   const Interference interference(graph, system, {{0, 1}, {1, 0}});
//   const std::vector<int64_t> free_ns = {out_free_ns, in_free_ns};
//   now_ns += interference.DurationNs(k, now_ns, duration_ns, free_ns);
//
// A lane that has work never pauses, so that it copies from the start of a
// kernel until it is free.
#ifndef STOWAGE_POLICIES_SIMULATE_INTERFERENCE_H_
#define STOWAGE_POLICIES_SIMULATE_INTERFERENCE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/simulate/lane.h"

namespace stowage::policies {

// Immutable, and safe to use from several threads.
class Interference {
 public:
  // The caller numbers the lanes.
  Interference(const Graph& graph, const MemorySystem& system,
               const std::vector<Lane>& lanes);

  // Returns how long kernel `k` takes that begins at `start_ns` and takes
  // `duration_ns` alone. `free_ns` says of each lane when it has copied all
  // that it has to.
  int64_t DurationNs(KernelIndex k, int64_t start_ns, int64_t duration_ns,
                     absl::Span<const int64_t> free_ns) const {
    if (memory_share_.empty()) return duration_ns;
    return SlowedNs(k, start_ns, duration_ns, free_ns);
  }

 private:
  int64_t SlowedNs(KernelIndex k, int64_t start_ns, int64_t duration_ns,
                   absl::Span<const int64_t> free_ns) const;

  std::vector<Slowdown> lanes_;
  std::vector<double> memory_share_;  // by kernel; empty: no lane slows any
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SIMULATE_INTERFERENCE_H_
