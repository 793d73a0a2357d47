// Admits plans: limits how many are made at a time, how much memory they take
// together, and how many wait for how long; and lets callers take turns.
//
//   PlanningQueue queue({.threads = 2, .waiting = 64});
//   absl::StatusOr<MadePlan> made = queue.Run(
//       {.key = plan_id, .memory_bytes = bytes, .work = work},
//       {.name = peer, .is_gone = [&] { return context->IsCancelled(); }});
//
// Callers that ask for a plan that waits or is being made share it. A plan that
// nobody waits for any more does not begin, or is cancelled.
#ifndef STOWAGE_SERVER_PLACEMENT_PLANNING_QUEUE_H_
#define STOWAGE_SERVER_PLACEMENT_PLANNING_QUEUE_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "policies/plan/cancellation.h"
#include "server/placement/made_plan.h"
#include "timing/bell.h"

namespace stowage {

struct PlanningLimits {
  int threads = 1;   // plans that are made at a time, >= 1
  int waiting = 64;  // plans that wait, >= 0
  // Estimated, for all plans that are made at a time.
  int64_t memory_bytes = int64_t{4} << 30;
  absl::Duration wait = absl::Minutes(2);   // until a plan begins
  absl::Duration time = absl::Minutes(10);  // until it is made
};

// Somebody who waits for a plan.
struct PlanCaller {
  std::string name;  // callers of different names take turns
  // The waiting thread asks this several times a second; empty: never gone.
  std::function<bool()> is_gone;
};

struct PlanOrder {
  std::string key;           // orders of one key are the same plan
  int64_t memory_bytes = 0;  // estimated
  // Makes the plan. It may run on when all callers have gone, so what it uses
  // must belong to it or outlive the queue.
  std::function<absl::StatusOr<MadePlan>(const policies::Cancellation&)> work;
};

// Thread-safe.
class PlanningQueue {
 public:
  explicit PlanningQueue(const PlanningLimits& limits);
  // Cancels all plans and waits until they have ended.
  ~PlanningQueue();

  // Returns what `order.work` returns. Blocks until the plan is made.
  // CANCELLED: the caller has gone. RESOURCE_EXHAUSTED: too many plans wait, or
  // this one has waited too long; RetryAfter() says when to ask again.
  // FAILED_PRECONDITION: the plan alone needs more memory than there is for
  // all. DEADLINE_EXCEEDED: making it took too long. UNAVAILABLE: the queue
  // drains.
  absl::StatusOr<MadePlan> Run(PlanOrder order, const PlanCaller& caller);

  // Refuses new plans and those that wait.
  void BeginDrain();
  // Cancels all plans. Returns whether they have ended within `timeout`.
  bool Stop(absl::Duration timeout);

  // Sets the limits for plans that begin, or wait, from now on. Those that are
  // made beyond them go on.
  void SetLimits(const PlanningLimits& limits);

  int CountRunning() const;
  int CountWaiting() const;

 private:
  // A plan that `waiters` callers ask for.
  struct Flight {
    PlanOrder order;
    std::string caller;  // the first one
    absl::Time since;    // waits, or is made, since then
    bool running = false;
    bool timed_out = false;
    int waiters = 0;
    std::optional<absl::StatusOr<MadePlan>> result;
    std::atomic<bool> cancelled = false;
    Bell over;  // rings once there is a result
  };
  using FlightPtr = std::shared_ptr<Flight>;

  absl::StatusOr<FlightPtr> Join(PlanOrder order, const PlanCaller& caller)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status MakeRoomFor(const std::string& caller)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<MadePlan> Await(const FlightPtr& flight,
                                 const PlanCaller& caller);
  // Notes that a caller does not wait any more.
  void Leave(const FlightPtr& flight) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Withdraw(const FlightPtr& flight) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Cancel(const FlightPtr& flight) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Forget(const FlightPtr& flight) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int FreeThreads() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool CanStart() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  FlightPtr TakeNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Finish(const FlightPtr& flight, absl::StatusOr<MadePlan> result)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void Answer(const FlightPtr& flight, absl::StatusOr<MadePlan> result);
  absl::Status Exhausted(const std::string& what) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int waiting() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Work();

  void AddThreads() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  PlanningLimits limits_ ABSL_GUARDED_BY(mutex_);
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  // The plans that callers can share, by key.
  std::map<std::string, FlightPtr> flights_ ABSL_GUARDED_BY(mutex_);
  // The plans that wait, by caller (none is empty), and whose turn it is.
  std::map<std::string, std::deque<FlightPtr>> waiting_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::string> turns_ ABSL_GUARDED_BY(mutex_);
  std::vector<FlightPtr> running_ ABSL_GUARDED_BY(mutex_);
  int64_t running_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  // How long a plan has taken of late, on average.
  absl::Duration usual_time_ ABSL_GUARDED_BY(mutex_) = absl::Seconds(1);
  Bell finished_;  // rings with each plan that has been made
  // At least as many as there may be plans made at a time. Last: they use all
  // above.
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
};

// Returns how long to wait before asking again after a RESOURCE_EXHAUSTED of
// the queue; nullopt for other statuses.
std::optional<absl::Duration> RetryAfter(const absl::Status& status);

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_PLANNING_QUEUE_H_
