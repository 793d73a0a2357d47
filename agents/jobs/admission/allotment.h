// Bounds what the jobs at one socket may have together, whatever they ask for.
//
//   Allotment allotment({.owner = "claim 'default/mlp'",
//                        .fast_bytes = int64_t{1} << 30,
//                        .slow = "file:/mnt/nvme",
//                        .slow_bytes = int64_t{8} << 30});
//   absl::Status fits = allotment.CheckFast(request.fast_limit);
//   absl::StatusOr<std::unique_ptr<SlowPart>> part =
//       allotment.TakeSlow("file:/mnt/nvme,size=2GiB");
//
// A FastMemory of `fast_bytes` keeps the jobs' limits below that together.
#ifndef STOWAGE_AGENTS_JOBS_ADMISSION_ALLOTMENT_H_
#define STOWAGE_AGENTS_JOBS_ADMISSION_ALLOTMENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::agent {

// Plain data.
struct AllotmentSize {
  std::string owner;  // whose it is, for people: "claim 'default/mlp'"
  int64_t fast_bytes = 0;
  std::string slow;  // the tier, without a size
  int64_t slow_bytes = 0;
};

class SlowPart;

// Thread-safe. Must outlive its parts.
class Allotment {
 public:
  explicit Allotment(AllotmentSize size) : size_(std::move(size)) {}
  Allotment(const Allotment&) = delete;
  Allotment& operator=(const Allotment&) = delete;

  // Returns OUT_OF_RANGE if a job asks for a limit above `fast_bytes`. Shares
  // and no limit pass: they mean a part of what there is.
  absl::Status CheckFast(const session::Limit& limit) const;

  // Takes room for the arena that `spec` asks for; all that is left, if it names
  // no size. PERMISSION_DENIED if it is another tier than the allotment's,
  // RESOURCE_EXHAUSTED if other jobs have left less; both say what to do.
  absl::StatusOr<std::unique_ptr<SlowPart>> TakeSlow(const std::string& spec);
  // Takes room for an arena that a job has already.
  absl::StatusOr<std::unique_ptr<SlowPart>> TakeSlowBytes(int64_t bytes);

 private:
  friend class SlowPart;

  const AllotmentSize size_;
  absl::Mutex mutex_;
  int64_t slow_taken_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

// What one job's arena takes of an allotment, which has it back when this is
// destroyed. Immutable.
class SlowPart {
 public:
  SlowPart(Allotment* allotment, std::string spec, int64_t bytes)
      : allotment_(allotment), spec_(std::move(spec)), bytes_(bytes) {}
  ~SlowPart();
  SlowPart(const SlowPart&) = delete;
  SlowPart& operator=(const SlowPart&) = delete;

  // Returns the tier with the size of the arena.
  const std::string& spec() const { return spec_; }

 private:
  Allotment* const allotment_;
  const std::string spec_;
  const int64_t bytes_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_ADMISSION_ALLOTMENT_H_
