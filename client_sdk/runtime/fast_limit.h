// The limit on a job's tensor bytes in fast memory, as a number.
//
//   FastLimit limit(client->welcome(), available_bytes, &segment->report);
//   if (limit.FollowPeak(step, tensor_bytes, needed_bytes)) ...
//   limit.EndStep(step, peak_bytes);
//   limit.Check(least_bytes);              // throws if it is too small
//
// A job has a limit in bytes, or a share of its tensor peak, or none. A share
// follows the peak as it is found, from the first allocation to the end of the
// second step, when optimizers have their state, so that fast memory is hardly
// ever above the limit it ends up at. In the first step it is no less than what
// the running kernel and pinned tensors need: the share of a peak that is far
// from found would be no measure of what fits. From the third step on the limit
// does not change.
//
// Invariants:
//  * Set() is the one function that changes the limit.
//  * A share only grows while it is found, until the end of a step says what
//    the peak has been.
//  * Once the limit was refused it is refused before every update, until it is
//    no longer too small: a script that goes on, or a thread that ended with
//    the error, must not train.
//
// Numbers alone: FastSpace makes fast memory obey them. A limit that is changed
// from outside while the job runs would come in by Set(), too, and be enforced
// there. The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_FAST_LIMIT_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_FAST_LIMIT_H_

#include <cstdint>
#include <string>

#include "client_sdk/session/session.h"

namespace stowage::runtime {

class FastLimit {
 public:
  // The last step in which a share follows the peak; counted from 0.
  static constexpr int64_t kLastStepOfPeak = 1;

  // `available_bytes` stand in for a limit while there is none. What is found
  // out goes into `report`, which outlives this.
  FastLimit(const session::Welcome& welcome, int64_t available_bytes,
            session::Report* report);

  // 0 while unlimited or unknown.
  int64_t bytes() const { return bytes_; }
  bool unlimited() const { return bytes_ == 0; }
  bool is_share() const { return fraction_ > 0; }
  // What fast memory is made to obey: never 0.
  int64_t effective_bytes() const {
    return bytes_ > 0 ? bytes_ : available_bytes_;
  }
  // The job has an absolute limit, which needs no step to be known.
  bool is_absolute() const { return !unlimited() && !is_share(); }

  // The job's tensors have `tensor_bytes` now, and the running kernel cannot
  // do with a limit below `needed_bytes`. Returns whether the limit has grown.
  bool FollowPeak(int64_t step, int64_t tensor_bytes, int64_t needed_bytes);
  // The step has ended, and its tensors had `peak_bytes` at once.
  void EndStep(int64_t step, int64_t peak_bytes);
  // Tells the report what the limit is.
  void Publish() const { report_->limit_bytes.store(bytes_); }

  // Throws std::runtime_error if the limit is below `least_bytes`, and names
  // them.
  void Check(int64_t least_bytes);
  bool refused() const { return refused_below_bytes_ > 0; }

 private:
  void Set(int64_t bytes) { bytes_ = bytes; }
  std::string RefusalText(int64_t least_bytes) const;

  session::Report* report_;
  double fraction_ = 0;  // of the tensor peak; 0: the limit is no share
  int64_t bytes_ = 0;
  int64_t available_bytes_ = 0;
  int64_t tensor_peak_bytes_ = 0;    // of the job
  int64_t refused_below_bytes_ = 0;  // the least limit, where it was refused
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_FAST_LIMIT_H_
