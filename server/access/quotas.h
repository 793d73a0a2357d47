// Bounds what each caller takes of the service in a time.
//
//   Quotas calls({.per_second = 2000, .burst = 4000});
//   absl::Status taken = calls.Take(caller.identity, 1, SteadyNow());
//   if (!taken.ok()) return taken;   // RESOURCE_EXHAUSTED
#ifndef STOWAGE_SERVER_ACCESS_QUOTAS_H_
#define STOWAGE_SERVER_ACCESS_QUOTAS_H_

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace stowage {

struct QuotaLimits {
  std::string unit;       // for messages: "calls"
  double per_second = 0;  // 0: no bound
  double burst = 0;       // what one who has taken nothing may take at once
};

// Has a token bucket for each identity: it fills at so many units a second, up
// to the burst. Thread-safe; does not block. Callers pass the time, of
// SteadyNow().
class Quotas {
 public:
  explicit Quotas(QuotaLimits limits);

  // Changes the limits for what is taken from now on.
  void SetLimits(QuotaLimits limits);

  // Takes `amount` of the identity's share. RESOURCE_EXHAUSTED: that is more
  // than there is; the message says in what time there will be enough. One who
  // asks for more than the burst gets it when the bucket is full, and owes the
  // rest.
  absl::Status Take(absl::string_view identity, double amount, absl::Time now);

 private:
  struct Bucket {
    double tokens = 0;
    absl::Time at;  // when there were so many
  };

  void Fill(Bucket* bucket, absl::Time now) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Forgets those who have taken nothing for so long that their bucket is full.
  void DropFull(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Mutex mutex_;
  QuotaLimits limits_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Bucket> buckets_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_ACCESS_QUOTAS_H_
