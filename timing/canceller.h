// Ends calls early from another thread.
//
//   stowage::Canceller canceller;
//   std::thread thread([&] { Ask(&canceller); });  // which makes a Call
//   canceller.Cancel();                             // Ask() ends early
//   thread.join();
#ifndef STOWAGE_TIMING_CANCELLER_H_
#define STOWAGE_TIMING_CANCELLER_H_

#include <functional>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"

namespace stowage {

// Thread-safe. It must outlive the calls that it may end.
class Canceller {
 public:
  // Ends the calls under way, and those that begin later. Blocks no longer than
  // what ends a call does.
  void Cancel();
  bool cancelled() const;

  // A call that may be cancelled while this lives.
  class Call {
   public:
    // `end` ends the call. It is called once at most, perhaps by this
    // constructor, and must neither block nor use the canceller. With a null
    // `canceller` it is never called.
    Call(Canceller* canceller, std::function<void()> end);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    friend class Canceller;

    Canceller* const canceller_;
    const std::function<void()> end_;
  };

 private:
  mutable absl::Mutex mutex_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_set<const Call*> calls_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_TIMING_CANCELLER_H_
