// Hands what one job's share of fast memory asks, how long steps take under
// several limits, to the thread that makes plans, and the answer back.
//
//   AskedCurve asked;
//   asked.Ask(share->ContestedRange());              // the session's thread
//   if (auto range = asked.Take(session::NowNs())) {
//     asked.Answer(*PlanCurve(*range, plan));
//   }
//   if (auto curve = asked.TakeAnswer()) share->NoteCurve(*std::move(curve));
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_ASKED_CURVE_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_ASKED_CURVE_H_

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "agents/sharing/step_curve.h"

namespace stowage::agent {

// Thread-safe. Never blocks for long.
class AskedCurve {
 public:
  // Asks for a curve over `range`, unless one was asked for that is nearly the
  // same. nullopt: none is of interest any more.
  void Ask(std::optional<CurveRange> range) {
    absl::MutexLock lock(&mutex_);
    if (range.has_value() && asked_.has_value() && IsNear(*range, *asked_)) {
      return;
    }
    asked_ = range;
    is_open_ = range.has_value();
  }

  // Asks for the same again: kernels or copies take another time now, or there
  // was no answer.
  void AskAgain() {
    absl::MutexLock lock(&mutex_);
    is_open_ = asked_.has_value();
  }

  // Returns what is asked for, once, and not within a minute of the last time:
  // a curve takes several plans.
  std::optional<CurveRange> Take(int64_t now_ns) {
    absl::MutexLock lock(&mutex_);
    if (!is_open_ || now_ns < next_ns_) return std::nullopt;
    is_open_ = false;
    next_ns_ = now_ns + kPauseNs;
    return asked_;
  }

  // Asks again at once for what was taken, which has to wait for something else.
  void PutBack() {
    absl::MutexLock lock(&mutex_);
    is_open_ = asked_.has_value();
    next_ns_ = 0;
  }

  void Answer(StepCurve curve) {
    absl::MutexLock lock(&mutex_);
    answer_ = std::move(curve);
  }

  // Returns the newest answer, once.
  std::optional<StepCurve> TakeAnswer() {
    absl::MutexLock lock(&mutex_);
    return std::exchange(answer_, std::nullopt);
  }

 private:
  static constexpr int64_t kPauseNs = 60'000'000'000;

  // What a job wants follows the highest peak of its tensors.
  static bool IsNear(const CurveRange& a, const CurveRange& b) {
    const int64_t near_bytes = b.most_bytes / 20;
    return std::abs(a.least_bytes - b.least_bytes) <= near_bytes &&
           std::abs(a.most_bytes - b.most_bytes) <= near_bytes;
  }

  absl::Mutex mutex_;
  std::optional<CurveRange> asked_ ABSL_GUARDED_BY(mutex_);
  bool is_open_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t next_ns_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<StepCurve> answer_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_ASKED_CURVE_H_
