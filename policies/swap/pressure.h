// Says where a step needs more fast memory than there is, as periods are taken.
//
//   Pressure pressure(facts, budget_bytes);
//   if (pressure.IsOver(period.from, period.to)) {
//     pressure.Relieve(period.from, period.to, bytes);
//   }
#ifndef STOWAGE_POLICIES_SWAP_PRESSURE_H_
#define STOWAGE_POLICIES_SWAP_PRESSURE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "policies/layout/layout_item.h"
#include "policies/swap/step_facts.h"

namespace stowage::policies {

// Boundaries are unrolled over two steps, as those of periods are (see
// inactive_period.h). Ranges are begin .. end-1. Not thread-safe.
class Pressure {
 public:
  // Begins with every tensor fast for all its life.
  Pressure(const StepFacts& facts, int64_t budget_bytes);

  void Relieve(KernelIndex begin, KernelIndex end, int64_t bytes);

  bool IsOver(KernelIndex begin, KernelIndex end) const;
  bool IsOverAnywhere() const { return IsOver(0, step_); }

  // Returns by how much `bytes` less would lower the pressure: an integral over
  // ideal time, in byte nanoseconds.
  double Relief(KernelIndex begin, KernelIndex end, int64_t bytes) const;

  // Returns the first boundary from `begin` back to `earliest` such that from
  // there up to `begin` `bytes` more are within the budget.
  KernelIndex EarliestWithRoom(KernelIndex earliest, KernelIndex begin,
                               int64_t bytes) const;

  // Returns an unrolled range as ranges of one step.
  std::array<Span, 2> Parts(KernelIndex begin, KernelIndex end) const;

 private:
  // The number of boundaries in a block, whose sums are kept.
  static constexpr KernelIndex kBlock = 64;
  struct Block {
    int64_t least_over_bytes = 0;
    int64_t most_over_bytes = 0;
    double weight = 0;
  };

  // Computes anew the blocks that hold boundaries begin .. end-1.
  void SumUp(KernelIndex begin, KernelIndex end);
  double ReliefWithinBlock(KernelIndex begin, KernelIndex end,
                           int64_t bytes) const;

  const KernelIndex step_;           // boundaries in a step
  std::vector<int64_t> over_bytes_;  // by boundary; negative: room
  std::vector<Block> blocks_;
  std::vector<double> weight_;  // by boundary: about the ideal time
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SWAP_PRESSURE_H_
