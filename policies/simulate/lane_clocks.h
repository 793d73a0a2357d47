// Says when copies end. Each lane makes one copy at a time, first come first
// served, and slows the lane of the opposite direction while both copy, by what
// the memory system says of them (both_ways_share in memory_system.proto).
//
//   const LaneClocks clocks(system, {{0, 1}, {1, 0}});
//   std::vector<int64_t> state(clocks.state_size());
//   const auto all = absl::MakeSpan(state);
//   const int64_t mark = clocks.Issue(0, now_ns, copy_ns, all);
//   clocks.Advance(now_ns, now_ns + duration_ns, all);
//   const int64_t end_ns = clocks.EndNs(0, mark, now_ns + duration_ns, all);
//
// Each lane has a clock, which goes as time does, but slower while both lanes
// copy. A copy has ended when the clock of its lane shows its mark. A state has
// the mark of each lane's last copy; then, if any lane is slowed at all, by how
// much each clock is behind, which is nothing while the lane is idle. So marks
// are times where no lane slows another. Clocks are rounded down, and a copy may
// end 2 ns of its clock early: lanes copy no more than they can but for that.
#ifndef STOWAGE_POLICIES_SIMULATE_LANE_CLOCKS_H_
#define STOWAGE_POLICIES_SIMULATE_LANE_CLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "policies/model/memory_system.h"
#include "policies/simulate/lane.h"

namespace stowage::policies {

// Immutable, and safe to use from several threads; callers own the states, which
// begin with zeros at time 0.
class LaneClocks {
 public:
  using State = absl::Span<int64_t>;
  using ConstState = absl::Span<const int64_t>;

  // The caller numbers the lanes.
  LaneClocks(const MemorySystem& system, const std::vector<Lane>& lanes);

  size_t lane_count() const { return lanes_.size(); }
  size_t state_size() const {
    return is_slowed_ ? 2 * lane_count() : lane_count();
  }

  // Returns what the clock of a lane shows at `now_ns`.
  int64_t ClockNs(size_t lane, int64_t now_ns, ConstState state) const {
    return is_slowed_ ? now_ns - state[lane_count() + lane] : now_ns;
  }

  // Appends a copy that takes `duration_ns` alone, and returns its mark.
  int64_t Issue(size_t lane, int64_t now_ns, int64_t duration_ns,
                State state) const;

  // Returns when the lane's clock shows `mark_ns`, `now_ns` if it has done so,
  // provided that nothing else is issued until then.
  int64_t EndNs(size_t lane, int64_t mark_ns, int64_t now_ns,
                ConstState state) const {
    const int64_t left_ns = mark_ns - ClockNs(lane, now_ns, state);
    if (left_ns <= 0) return now_ns;
    return is_slowed_ ? SlowedEndNs(lane, left_ns, now_ns, state) : mark_ns;
  }

  // Lets time pass from `now_ns` to `then_ns`, in which nothing is issued.
  void Advance(int64_t now_ns, int64_t then_ns, State state) const {
    if (is_slowed_) AdvanceSlowed(now_ns, then_ns, state);
  }

  // Writes when each lane will have made all of its copies; a time until
  // `now_ns` means that it has.
  void FreeNs(int64_t now_ns, ConstState state,
              absl::Span<int64_t> free_ns) const;

 private:
  struct LaneTraits {
    size_t opposite = 0;  // itself: there is none
    double lost = 0;      // of its bandwidth, beside the opposite lane
    double longer = 1;    // times that a copy takes there
  };

  int64_t LeftNs(size_t lane, int64_t now_ns, ConstState state) const {
    return state[lane] - ClockNs(lane, now_ns, state);
  }
  int64_t SlowedEndNs(size_t lane, int64_t left_ns, int64_t now_ns,
                      ConstState state) const;
  void AdvanceSlowed(int64_t now_ns, int64_t then_ns, State state) const;
  // Sets the clocks of two lanes back by what they lose beside each other.
  void Slow(size_t lane, size_t other, int64_t now_ns, int64_t then_ns,
            State state) const;

  bool is_slowed_ = false;
  std::vector<LaneTraits> lanes_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SIMULATE_LANE_CLOCKS_H_
