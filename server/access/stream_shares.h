// Bounds how many streams each caller has open.
//
//   StreamShares shares(1024);
//   absl::StatusOr<StreamShares::Share> share = shares.Take(caller.identity);
//   if (!share.ok()) return share.status();   // RESOURCE_EXHAUSTED
#ifndef STOWAGE_SERVER_ACCESS_STREAM_SHARES_H_
#define STOWAGE_SERVER_ACCESS_STREAM_SHARES_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace stowage {

// Thread-safe; does not block. Must outlive all shares.
class StreamShares {
 public:
  // Whoever holds it has a stream open. The last copy gives it back.
  using Share = std::shared_ptr<const void>;

  // Each identity may have `limit` streams open; 0: no bound.
  explicit StreamShares(int limit) : limit_(limit) {}

  // Changes the limit for streams that are opened from now on.
  void SetLimit(int limit);

  // Counts a stream of the identity. RESOURCE_EXHAUSTED: it has as many open as
  // it may.
  absl::StatusOr<Share> Take(absl::string_view identity);

 private:
  void GiveBack(const std::string& identity);

  absl::Mutex mutex_;
  int limit_ ABSL_GUARDED_BY(mutex_);
  // Of those who have any.
  absl::flat_hash_map<std::string, int> open_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_ACCESS_STREAM_SHARES_H_
