// Finds out that a job's steps are too different from each other to be planned.
//
//   UnplannedSteps unplanned;
//   unplanned.Note(/*has_plan=*/false, duration_ns);  // a step has ended
//   const int64_t typical_ns = unplanned.are_most() ? unplanned.median_ns() : 0;
//
// Sizes that depend on the data make each step one of a kind. Such steps run in
// demand mode for good, whatever people were told of the one that was planned.
//
// Pure. Not thread-safe.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLANS_UNPLANNED_STEPS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLANS_UNPLANNED_STEPS_H_

#include <algorithm>
#include <array>
#include <cstdint>

namespace stowage::runtime {

class UnplannedSteps {
 public:
  // Of so many steps in succession, most are so many.
  static constexpr int kSteps = 16;
  static constexpr int kMost = 12;

  void Note(bool has_plan, int64_t duration_ns) {
    durations_ns_[noted_++ % kSteps] = has_plan ? 0 : duration_ns;
  }

  bool are_most() const { return noted_ >= kSteps && Count() >= kMost; }
  // Returns the median duration of the last unplanned ones, of which there is one
  // at least.
  int64_t median_ns() const {
    std::array<int64_t, kSteps> sorted = durations_ns_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[kSteps - (Count() + 1) / 2];
  }

 private:
  int64_t Count() const {
    return kSteps - std::count(durations_ns_.begin(), durations_ns_.end(), 0);
  }

  int64_t noted_ = 0;
  std::array<int64_t, kSteps> durations_ns_{};  // 0: it has a plan
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLANS_UNPLANNED_STEPS_H_
