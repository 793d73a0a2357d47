#include "server/placement/planning_queue.h"

#include <malloc.h>

#include <algorithm>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

// How often a caller that waits looks whether it still has to.
constexpr absl::Duration kLook = absl::Milliseconds(50);

// How long callers are told to wait before they ask again.
constexpr absl::Duration kLeastRetry = absl::Seconds(1);
constexpr absl::Duration kMostRetry = absl::Minutes(1);

// The weight of the last plan's time in the usual time.
constexpr double kMemory = 0.3;

// Plans that take this much memory give it back to the machine when they end.
constexpr int64_t kTrimmedBytes = int64_t{256} << 20;

constexpr char kRetryPayload[] = "stowage.retry_after_ms";

absl::Status Draining() {
  return absl::UnavailableError(
      "the server is shutting down; ask again with back-off");
}

}  // namespace

std::optional<absl::Duration> RetryAfter(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kRetryPayload);
  int64_t ms = 0;
  if (!payload.has_value() || !absl::SimpleAtoi(std::string(*payload), &ms)) {
    return std::nullopt;
  }
  return absl::Milliseconds(ms);
}

PlanningQueue::PlanningQueue(const PlanningLimits& limits) : limits_(limits) {
  absl::MutexLock lock(&mutex_);
  AddThreads();
}

void PlanningQueue::AddThreads() {
  while (threads_.size() < static_cast<size_t>(limits_.threads)) {
    threads_.emplace_back([this] { Work(); });
  }
}

void PlanningQueue::SetLimits(const PlanningLimits& limits) {
  absl::MutexLock lock(&mutex_);
  limits_ = limits;
  AddThreads();
}

PlanningQueue::~PlanningQueue() {
  Stop(absl::InfiniteDuration());
  std::vector<std::thread> threads;
  {
    absl::MutexLock lock(&mutex_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

absl::StatusOr<MadePlan> PlanningQueue::Run(PlanOrder order,
                                            const PlanCaller& caller) {
  FlightPtr flight;
  {
    absl::MutexLock lock(&mutex_);
    absl::StatusOr<FlightPtr> joined = Join(std::move(order), caller);
    if (!joined.ok()) return joined.status();
    flight = *std::move(joined);
    ++flight->waiters;
  }
  return Await(flight, caller);
}

absl::StatusOr<PlanningQueue::FlightPtr> PlanningQueue::Join(
    PlanOrder order, const PlanCaller& caller) {
  if (order.memory_bytes > limits_.memory_bytes) {
    return absl::FailedPreconditionError(absl::StrCat(
        "making this plan takes about ", order.memory_bytes >> 20,
        " MiB, and the service has ", limits_.memory_bytes >> 20,
        " MiB for plans; use another policy, or raise --planning-memory-mib"));
  }
  if (draining_) return Draining();
  const auto found = flights_.find(order.key);
  if (found != flights_.end()) return found->second;
  if (absl::Status room = MakeRoomFor(caller.name); !room.ok()) return room;
  auto flight = std::make_shared<Flight>();
  flight->order = std::move(order);
  flight->caller = caller.name;
  flight->since = SteadyNow();
  flights_[flight->order.key] = flight;
  std::deque<FlightPtr>& own = waiting_[caller.name];
  if (own.empty()) turns_.push_back(caller.name);
  own.push_back(flight);
  return flight;
}

// Makes room for a plan of `caller` if too many wait: the last plan of the
// caller that has most gives way, unless that would be no fairer.
absl::Status PlanningQueue::MakeRoomFor(const std::string& caller) {
  // Threads that are free take plans off the queue in a moment.
  const int free = turns_.empty() || CanStart() ? FreeThreads() : 0;
  if (waiting() < limits_.waiting + free) return absl::OkStatus();
  const auto own = waiting_.find(caller);
  const size_t own_count = own == waiting_.end() ? 0 : own->second.size();
  const auto most = std::max_element(waiting_.begin(), waiting_.end(),
                                     [](const auto& a, const auto& b) {
                                       return a.second.size() < b.second.size();
                                     });
  absl::Status exhausted =
      Exhausted(absl::StrCat(waiting(), " plans wait to be made"));
  if (most == waiting_.end() || most->second.size() < own_count + 2) {
    return exhausted;
  }
  const FlightPtr last = most->second.back();
  Withdraw(last);
  Answer(last, exhausted);
  return absl::OkStatus();
}

absl::StatusOr<MadePlan> PlanningQueue::Await(const FlightPtr& flight,
                                              const PlanCaller& caller) {
  while (true) {
    const bool is_over = flight->over.AwaitFor(kLook);
    const bool is_gone = !is_over && caller.is_gone && caller.is_gone();
    absl::MutexLock lock(&mutex_);
    if (flight->result.has_value()) {
      if (--flight->waiters > 0) return *flight->result;
      return *std::move(flight->result);
    }
    if (is_gone) {
      Leave(flight);
      return absl::CancelledError("the caller has gone");
    }
    const absl::Duration waited = SteadyNow() - flight->since;
    if (flight->running && waited > limits_.time) {
      flight->timed_out = true;
      Cancel(flight);
    } else if (!flight->running && waited > limits_.wait) {
      Leave(flight);
      return Exhausted(absl::StrCat("the plan waited for ",
                                    absl::FormatDuration(limits_.wait)));
    }
  }
}

void PlanningQueue::Leave(const FlightPtr& flight) {
  if (--flight->waiters > 0) return;
  if (flight->running) {
    Cancel(flight);
  } else {
    Withdraw(flight);
  }
}

void PlanningQueue::Withdraw(const FlightPtr& flight) {
  Forget(flight);
  const auto own = waiting_.find(flight->caller);
  std::erase(own->second, flight);
  if (!own->second.empty()) return;
  std::erase(turns_, flight->caller);
  waiting_.erase(own);
}

void PlanningQueue::Cancel(const FlightPtr& flight) {
  flight->cancelled = true;
  Forget(flight);
}

// Lets callers from now on no longer share this plan.
void PlanningQueue::Forget(const FlightPtr& flight) {
  const auto found = flights_.find(flight->order.key);
  if (found != flights_.end() && found->second == flight) flights_.erase(found);
}

int PlanningQueue::FreeThreads() const {
  return std::max(0, limits_.threads - static_cast<int>(running_.size()));
}

// Returns whether the next plan can begin. If it needs more memory than is
// left, all others wait, too: small plans would keep a large one waiting for
// ever.
bool PlanningQueue::CanStart() const {
  if (turns_.empty() || FreeThreads() == 0) return false;
  // A plan that waits since the limit was higher is made alone.
  if (running_.empty()) return true;
  const Flight& next = *waiting_.at(turns_.front()).front();
  return running_bytes_ + next.order.memory_bytes <= limits_.memory_bytes;
}

PlanningQueue::FlightPtr PlanningQueue::TakeNext() {
  const std::string caller = turns_.front();
  turns_.pop_front();
  const auto own = waiting_.find(caller);
  FlightPtr flight = own->second.front();
  own->second.pop_front();
  if (own->second.empty()) {
    waiting_.erase(own);
  } else {
    turns_.push_back(caller);
  }
  flight->running = true;
  flight->since = SteadyNow();
  running_.push_back(flight);
  running_bytes_ += flight->order.memory_bytes;
  return flight;
}

void PlanningQueue::Finish(const FlightPtr& flight,
                           absl::StatusOr<MadePlan> result) {
  Forget(flight);
  std::erase(running_, flight);
  running_bytes_ -= flight->order.memory_bytes;
  const absl::Duration time = SteadyNow() - flight->since;
  usual_time_ = (1 - kMemory) * usual_time_ + kMemory * time;
  if (!result.ok() && flight->timed_out) {
    result = absl::DeadlineExceededError(absl::StrCat(
        "making the plan took longer than ", absl::FormatDuration(limits_.time),
        "; use a quicker policy, or raise --planning-time"));
  } else if (!result.ok() && flight->cancelled) {
    result = Draining();
  }
  Answer(flight, std::move(result));
  finished_.Ring();
}

void PlanningQueue::Answer(const FlightPtr& flight,
                           absl::StatusOr<MadePlan> result) {
  flight->result = std::move(result);
  flight->over.Ring();
}

absl::Status PlanningQueue::Exhausted(const std::string& what) const {
  const absl::Duration retry = std::clamp(
      usual_time_ * (waiting() + 1) / limits_.threads, kLeastRetry, kMostRetry);
  const int64_t seconds = absl::ToInt64Seconds(retry);
  absl::Status status = absl::ResourceExhaustedError(
      absl::StrCat(what, "; ask again in ", seconds, " s"));
  status.SetPayload(kRetryPayload, absl::Cord(absl::StrCat(1000 * seconds)));
  return status;
}

int PlanningQueue::waiting() const {
  int count = 0;
  for (const auto& [caller, flights] : waiting_) {
    count += static_cast<int>(flights.size());
  }
  return count;
}

void PlanningQueue::Work() {
  const auto may_go_on = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stopped_ || CanStart();
  };
  while (true) {
    FlightPtr flight;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(&may_go_on));
      if (stopped_) return;
      flight = TakeNext();
    }
    absl::StatusOr<MadePlan> result = flight->order.work(policies::Cancellation(
        [cancelled = &flight->cancelled] { return cancelled->load(); }));
    flight->order.work = nullptr;  // and what it holds
    // Otherwise the allocator would keep a gigabyte for the next large plan.
    if (flight->order.memory_bytes >= kTrimmedBytes) malloc_trim(0);
    absl::MutexLock lock(&mutex_);
    Finish(flight, std::move(result));
  }
}

void PlanningQueue::BeginDrain() {
  absl::MutexLock lock(&mutex_);
  draining_ = true;
  while (!turns_.empty()) {
    const FlightPtr flight = waiting_.at(turns_.front()).front();
    Withdraw(flight);
    Answer(flight, Draining());
  }
}

bool PlanningQueue::Stop(absl::Duration timeout) {
  BeginDrain();
  const absl::Time end = SteadyNow() + timeout;
  uint64_t heard;
  do {
    heard = finished_.rings();
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
    for (const FlightPtr& flight : running_) Cancel(flight);
    if (running_.empty()) return true;
  } while (finished_.AwaitFor(end - SteadyNow(), heard));
  return false;
}

int PlanningQueue::CountRunning() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int>(running_.size());
}

int PlanningQueue::CountWaiting() const {
  absl::MutexLock lock(&mutex_);
  return waiting();
}

}  // namespace stowage
