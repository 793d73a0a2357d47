// Tells a running job what its limit is, one order after another.
//
//   LimitOrders orders(&segment->limits, first);
//   const uint64_t number = orders.SetLimit({.bytes = 400 << 20});
//   orders.Poll();  // every 50 ms or so
//   LimitOutcome outcome = orders.OutcomeOf(number);
//
// A job obeys when its step ends, and answers then. What is set before it has
// answered waits here, and goes out as one order.
#ifndef STOWAGE_AGENTS_JOBS_RECORDS_LIMIT_ORDERS_H_
#define STOWAGE_AGENTS_JOBS_RECORDS_LIMIT_ORDERS_H_

#include <cstdint>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "client_sdk/session/limit_order.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::agent {

// Returns the order that makes a job obey `limit`.
session::LimitOrder OrderOf(const session::Limit& limit, int64_t most_bytes);

// Says what became of something that was set.
struct LimitOutcome {
  enum State {
    kAwaited,  // the job has not ended its step
    kObeyed,
    kRefused,  // the job keeps the limit that it had
    kEnded,    // the job ended before it obeyed
  };
  State state = kAwaited;
  // Where it was refused: the least limit that works, or
  // session::kNoRoomToObey.
  int64_t least_bytes = 0;
};

// Returns why a limit was not obeyed, for people.
std::string WhyNotObeyed(const LimitOutcome& outcome);

// Thread-safe. The area, of which the job may write anything at any time, must
// live until End().
class LimitOrders {
 public:
  // `first` is what the job was told in its welcome.
  LimitOrders(session::LimitArea* area, const session::LimitOrder& first);

  // Sets the limit that the job is to obey, or the most that the host has for
  // it; 0: no bound. Returns a number for OutcomeOf().
  uint64_t SetLimit(const session::Limit& limit);
  uint64_t SetMost(int64_t most_bytes);

  // Takes the job's answer, and sends what waits. Does not block.
  void Poll();
  // Ends the exchange: the job is gone.
  void End();

  LimitOutcome OutcomeOf(uint64_t number) const;
  // Returns what the job obeys, as it says.
  session::LimitOrder in_force() const;

 private:
  uint64_t Set(const session::LimitOrder& order)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeAnswer() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  session::LimitArea* area_ ABSL_GUARDED_BY(mutex_);  // null: ended
  session::LimitOrder wanted_ ABSL_GUARDED_BY(mutex_);
  session::LimitOrder sent_ ABSL_GUARDED_BY(mutex_);
  session::LimitOrder in_force_ ABSL_GUARDED_BY(mutex_);
  uint64_t orders_ ABSL_GUARDED_BY(mutex_);  // as LimitArea::ordered
  bool under_way_ ABSL_GUARDED_BY(mutex_) = false;
  // Numbers of what was set, sent and answered last.
  uint64_t set_number_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t sent_number_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t answered_number_ ABSL_GUARDED_BY(mutex_) = 0;
  // The last refusal was of all numbers above the first of these, up to the
  // second.
  uint64_t refused_above_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t refused_to_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t least_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_RECORDS_LIMIT_ORDERS_H_
