// Tells the network of learned-prices of an absence in numbers of order one.
// None of them has a unit or a size of the graph in it, so that what is learnt
// on some graphs and memory systems means the same on others.
//
//   AbsenceFeatures features(costs, choices);
//   PriceFeatures first = features.Of(absence);
//   features.Observe(chosen, schedule);        // a round has been scheduled
//   PriceFeatures next = features.Of(absence);
#ifndef STOWAGE_POLICIES_SEARCH_PRICES_ABSENCE_FEATURES_H_
#define STOWAGE_POLICIES_SEARCH_PRICES_ABSENCE_FEATURES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "policies/heat/access_index.h"
#include "policies/search/absences/absence.h"
#include "policies/search/absences/absence_selector.h"
#include "policies/search/absences/cost_model.h"
#include "policies/search/absences/move_schedule.h"

namespace stowage::policies {

// Names the features in the order of Of().
enum class PriceFeature {
  kSlack,     // its duration over that of its copies
  kUseful,    // the share of its boundaries that hold too much
  kCrowding,  // the excess there, over its bytes
  kSlowUse,   // the cost of slow use, over that and the copies
  kOutShare,  // the copy out, over both
  kWithoutCopies,
  kBegin,     // since the step began, over the step
  kDuration,  // over the step
  kSize,      // over the fast memory there is for tensors
  kCopies,    // over the step
  kExposed,   // what copies lack of time, over that and the copies
  kWeight,    // tensor kinds, 0 or 1
  kOptimizerState,
  kGradient,
  kActivation,
  kPersistent,
  kFrequency,  // f, r and l of heat at its beginning (DeepTM III-B)
  kDistance,
  kLifetime,
  kLaneLoad,  // least time to copy the largest excess, over the step
  kScarcity,  // fast memory over the graph's peak
  kInPlace,   // kernels can use a slower tier in place, 0 or 1
  // Features of the round before; 0 in the first.
  kObserved,  // 1 from the second round on
  kChosen,
  kOutLoad,      // copies out about its beginning, over the time there
  kInLoad,       // copies in about its end
  kRoomWait,     // waiting for room about its beginning
  kOperandWait,  // waiting for operands about its end
  kWaited,       // all waiting, over the step
  kCount
};
inline constexpr int kPriceFeatureCount =
    static_cast<int>(PriceFeature::kCount);

using PriceFeatures = std::array<float, kPriceFeatureCount>;

// Keeps references to its arguments. Not thread-safe.
class AbsenceFeatures {
 public:
  AbsenceFeatures(const CostModel& costs, const AbsenceChoices& choices);

  // Takes in what became of a round, for Of() from now on.
  void Observe(const std::vector<Choice>& chosen, const MoveSchedule& schedule);
  // Returns to the state before the first round.
  void Forget();

  PriceFeatures Of(int absence) const;

 private:
  // Returns by boundary the sum of `ns` within kWindow of the step around it,
  // over the time of that window.
  std::vector<float> Density(const std::vector<int64_t>& ns) const;
  void AddGraphFeatures();
  void SetTensor(int absence, PriceFeatures& features) const;
  void SetTimes(int absence, PriceFeatures& features) const;
  void SetRound(int absence, PriceFeatures& features) const;
  int64_t UnrolledNs(KernelIndex boundary) const;

  const CostModel& costs_;
  const AbsenceChoices& choices_;
  const KernelIndex step_;  // boundaries
  const AccessIndex accesses_;
  double step_ns_ = 0;
  double arena_bytes_ = 0;
  // Sums over boundaries < b, unrolled: how many hold too much, and by how
  // much.
  std::vector<int64_t> crowded_;
  std::vector<double> excess_bytes_;
  PriceFeatures of_graph_ = {};

  bool observed_ = false;
  float waited_ = 0;
  std::vector<bool> chosen_;               // by absence
  std::vector<float> out_load_, in_load_;  // by boundary
  std::vector<float> room_wait_, operand_wait_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_PRICES_ABSENCE_FEATURES_H_
