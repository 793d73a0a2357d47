// Holds the limit on a job's tensor bytes in fast memory, as a number.
//
//   FastLimit limit(client->welcome().limit, available, &segment->report);
//   if (limit.FollowPeak(step, tensor_bytes, needed_bytes)) {
//     ResizeArena(limit.bytes());
//   }
//   limit.EndStep(step, peak_bytes);
//   limit.Check(least_bytes);              // throws if it is too small
//
// A job has a limit in bytes, a share of its tensor peak, none, or one that the
// agent finds: none until it is known, after the first profile. The agent may
// order another one at any time. None is above what the host has for the job,
// nor above what the job's memory cgroup leaves it.
// A share is
// that of the highest peak so far, from the first allocation to the last step:
// it grows whenever the peak does, and so fast memory never exceeds the share
// of what the job has needed until then. There is one exception. In the first
// step the share says little yet, and the limit is no less than the running
// kernel needs, up to kFirstStepBytes or twice the share: a kernel that streams
// most of a weight may take minutes.
//
// Invariants:
//  * A share never shrinks, but at the end of the first step and by order.
//  * A share that is too small for any job is raised to kLeastShareBytes: a
//    script may begin with a small model.
//  * A share is not refused before the job has trained, and a step, the second
//    at the earliest, has shown no higher peak.
//  * Once the limit was refused it is refused before every update, until it is
//    no longer too small: a script that goes on, or a thread that ended with
//    the error, must not train.
//
// This class holds numbers alone: FastSpace makes fast memory obey them. A copy
// is what the limit was. The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_SPACE_FAST_LIMIT_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_SPACE_FAST_LIMIT_H_

#include <cstdint>
#include <string>

#include "client_sdk/runtime/process/available_memory.h"
#include "client_sdk/session/session.h"

namespace stowage::runtime {

// Returns the limit that users are told where `least_bytes` are needed: whole
// MiB, which leave a little for what grows.
int64_t EnoughBytes(int64_t least_bytes);

class FastLimit {
 public:
  // What the first step of a share may use for a kernel that needs as much.
  static constexpr int64_t kFirstStepBytes = 8 << 20;
  static constexpr int64_t kLeastShareBytes = 2 << 20;

  // What is available is used in place of a limit while there is none, and no
  // limit is above what the process's cgroup leaves it; the user is told if this
  // one is. Findings go into `report`, which outlives this.
  FastLimit(const session::LimitOrder& order, const AvailableMemory& available,
            session::Report* report);

  const session::LimitOrder& order() const { return order_; }
  // Returns 0 while the limit is unknown or there is none.
  int64_t bytes() const;
  bool unlimited() const { return bytes() == 0; }
  bool is_share() const { return order_.limit_fraction > 0; }
  // Returns the limit that fast memory is made to obey: never 0.
  int64_t effective_bytes() const {
    return unlimited() ? available_.bytes : bytes();
  }
  // Returns the most that the limit may come to when tensors have so many bytes.
  int64_t MostBytesWith(int64_t step, int64_t tensor_bytes) const;
  // Returns whether the agent will find a limit, and has not yet.
  bool is_awaited() const { return order_.is_awaited != 0; }
  // Returns whether the limit of a step is known: a share is once a step, the
  // second at the earliest, has shown no higher peak, but for a few scalars.
  bool IsKnown(int64_t steps) const {
    return !is_awaited() && (!is_share() || (steps >= 2 && peak_stands_));
  }
  // Returns whether the job has an absolute limit, which needs no step to be
  // known.
  bool is_absolute() const { return !unlimited() && !is_share(); }

  // Notes that the job's tensors have `tensor_bytes` now and that the running
  // kernel cannot do with a limit below `needed_bytes`. Returns whether the
  // limit has grown.
  bool FollowPeak(int64_t step, int64_t tensor_bytes, int64_t needed_bytes);
  // Notes that the step has ended, and that its tensors had `peak_bytes` at
  // once. Returns whether the limit has changed.
  bool EndStep(int64_t step, int64_t peak_bytes);
  // Raises a share that is below `least_bytes`, what the job needs, if
  // kLeastShareBytes are enough for that. Returns whether it has.
  bool RaiseShare(int64_t least_bytes);
  // Takes another limit.
  void Obey(const session::LimitOrder& order);
  // Tells the report what the limit is.
  void Publish() const { report_->limit_bytes.store(bytes()); }

  // Returns whether it is time to check the limit when so many steps have
  // ended: when their needs are known, and as long as it is refused. A share is
  // not before the job has trained, since an evaluation needs far less.
  bool IsCheckDue(int64_t steps, bool has_trained) const;
  // Throws std::runtime_error if the limit is below `least_bytes`, and names
  // what is enough.
  void Check(int64_t least_bytes);
  bool refused() const { return refused_below_bytes_ > 0; }

 private:
  int64_t AskedBytes() const;
  void TellOfCgroup() const;
  int64_t ShareOf(int64_t tensor_bytes) const;
  std::string RefusalText(int64_t least_bytes) const;

  session::Report* report_;
  session::LimitOrder order_;
  bool was_awaited_ = false;  // there was a plan for what the agent found
  int64_t share_bytes_ = 0;   // that a share has come to
  int64_t floor_bytes_ = 0;   // of a share
  AvailableMemory available_;
  int64_t tensor_peak_bytes_ = 0;  // of the job
  bool peak_stands_ = false;       // the last step has not raised it
  bool checked_ = false;
  int64_t refused_below_bytes_ = 0;  // the least limit, where it was refused
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_SPACE_FAST_LIMIT_H_
