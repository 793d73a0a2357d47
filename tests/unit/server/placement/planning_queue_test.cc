#include "server/placement/planning_queue.h"

#include <atomic>
#include <barrier>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Plays a caller in a thread of its own.
class Asking {
 public:
  Asking(PlanningQueue* queue, PlanOrder order, std::string caller)
      : thread_([this, queue, order = std::move(order),
                 caller = std::move(caller)]() mutable {
          result_ = queue->Run(
              std::move(order),
              {.name = caller, .is_gone = [this] { return gone_.load(); }});
        }) {}
  ~Asking() {
    if (thread_.joinable()) thread_.join();
  }

  void GoAway() { gone_ = true; }
  // Blocks until there is an answer, and returns it.
  absl::StatusOr<MadePlan> Result() {
    thread_.join();
    return result_;
  }

 private:
  std::atomic<bool> gone_ = false;
  absl::StatusOr<MadePlan> result_ = absl::UnknownError("no answer yet");
  std::thread thread_;
};

// Holds work that has begun, and ends when it is told to or cancelled.
struct Gate {
  absl::Notification begun;
  absl::Notification open;
  std::atomic<int> runs = 0;

  PlanOrder Order(const std::string& key, int64_t memory_bytes = 1) {
    return {
        .key = key,
        .memory_bytes = memory_bytes,
        .work = [this, key](const policies::Cancellation& cancellation)
            -> absl::StatusOr<MadePlan> {
          ++runs;
          begun.Notify();
          while (!open.WaitForNotificationWithTimeout(absl::Milliseconds(1))) {
            if (cancellation.IsCancelled()) return cancellation.Check();
          }
          return MadePlan{.plan_id = key};
        }};
  }
};

PlanOrder Quick(const std::string& key, std::vector<std::string>* made) {
  return {.key = key,
          .memory_bytes = 1,
          .work = [key, made](const policies::Cancellation&)
              -> absl::StatusOr<MadePlan> {
            made->push_back(key);
            return MadePlan{.plan_id = key};
          }};
}

void AwaitWaiting(const PlanningQueue& queue, int count) {
  while (queue.CountWaiting() != count) absl::SleepFor(absl::Milliseconds(1));
}

TEST(PlanningQueueTest, ReturnsWhatTheWorkReturns) {
  PlanningQueue queue({});
  std::vector<std::string> made;
  EXPECT_EQ(queue.Run(Quick("p", &made), {})->plan_id, "p");
  const auto failed = queue.Run(
      {.key = "q",
       .work = [](const policies::Cancellation&) -> absl::StatusOr<MadePlan> {
         return absl::FailedPreconditionError("limit too small");
       }},
      {});
  EXPECT_THAT(failed.status().message(), HasSubstr("limit too small"));
}

TEST(PlanningQueueTest, CallersOfOnePlanShareItsMaking) {
  PlanningQueue queue({});
  Gate gate;
  Asking first(&queue, gate.Order("p"), "a");
  gate.begun.WaitForNotification();
  Asking second(&queue, gate.Order("p"), "b");
  first.GoAway();  // the other one still waits
  EXPECT_TRUE(absl::IsCancelled(first.Result().status()));
  gate.open.Notify();
  EXPECT_EQ(second.Result()->plan_id, "p");
  EXPECT_EQ(gate.runs, 1);
}

TEST(PlanningQueueTest, APlanThatNobodyWaitsForIsCancelled) {
  PlanningQueue queue({});
  Gate gate;
  Asking asking(&queue, gate.Order("p"), "a");
  gate.begun.WaitForNotification();
  asking.GoAway();
  EXPECT_TRUE(absl::IsCancelled(asking.Result().status()));
  while (queue.CountRunning() > 0) absl::SleepFor(absl::Milliseconds(1));
}

TEST(PlanningQueueTest, APlanThatNobodyWaitsForDoesNotBegin) {
  PlanningQueue queue({.threads = 1});
  Gate running;
  Gate waiting;
  Asking first(&queue, running.Order("p"), "a");
  running.begun.WaitForNotification();
  Asking second(&queue, waiting.Order("q"), "a");
  AwaitWaiting(queue, 1);
  second.GoAway();
  EXPECT_TRUE(absl::IsCancelled(second.Result().status()));
  EXPECT_EQ(queue.CountWaiting(), 0);
  running.open.Notify();
  EXPECT_TRUE(first.Result().ok());
  EXPECT_EQ(waiting.runs, 0);
}

TEST(PlanningQueueTest, BeyondTheBoundACallerIsToldWhenToAskAgain) {
  PlanningQueue queue({.threads = 1, .waiting = 0});
  Gate gate;
  Asking asking(&queue, gate.Order("p"), "a");
  gate.begun.WaitForNotification();
  std::vector<std::string> made;
  const absl::Status status = queue.Run(Quick("q", &made), {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("ask again in"));
  EXPECT_GE(RetryAfter(status), absl::Seconds(1));
  EXPECT_EQ(RetryAfter(absl::ResourceExhaustedError("another")), std::nullopt);
  gate.open.Notify();
}

TEST(PlanningQueueTest, TakesAsManyAsItsThreadsAndPlacesHoweverTheyCome) {
  constexpr int kPlans = 6;
  for (int round = 0; round < 100; ++round) {
    PlanningQueue queue({.threads = 2, .waiting = kPlans - 2});
    std::vector<Gate> gates(kPlans);
    std::barrier at_once(kPlans);
    std::vector<std::thread> callers;
    for (int i = 0; i < kPlans; ++i) {
      gates[i].open.Notify();
      callers.emplace_back([&, i] {
        const PlanOrder order = gates[i].Order(std::to_string(i));
        at_once.arrive_and_wait();
        const absl::Status made = queue.Run(order, {}).status();
        EXPECT_TRUE(made.ok()) << made;
      });
    }
    for (std::thread& caller : callers) caller.join();
  }
}

TEST(PlanningQueueTest, WhoWaitsTooLongIsToldWhenToAskAgain) {
  PlanningQueue queue({.threads = 1, .wait = absl::Milliseconds(1)});
  Gate gate;
  Asking asking(&queue, gate.Order("p"), "a");
  gate.begun.WaitForNotification();
  std::vector<std::string> made;
  const absl::Status status = queue.Run(Quick("q", &made), {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(RetryAfter(status).has_value());
  gate.open.Notify();
}

TEST(PlanningQueueTest, APlanThatTakesTooLongIsCancelled) {
  PlanningQueue queue({.time = absl::Milliseconds(1)});
  Gate gate;
  const absl::Status status = queue.Run(gate.Order("p"), {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(status.message(), HasSubstr("--planning-time"));
}

TEST(PlanningQueueTest, PlansThatTakeAllMemoryAreMadeOneAfterTheOther) {
  PlanningQueue queue({.threads = 2, .memory_bytes = 10});
  Gate large;
  Gate other;
  Asking first(&queue, large.Order("p", 6), "a");
  large.begun.WaitForNotification();
  Asking second(&queue, other.Order("q", 6), "b");
  AwaitWaiting(queue, 1);
  large.open.Notify();
  other.begun.WaitForNotification();
  other.open.Notify();
  const absl::Status refused = queue.Run(other.Order("r", 11), {}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
}

TEST(PlanningQueueTest, CallersTakeTurns) {
  PlanningQueue queue({.threads = 1});
  Gate gate;
  Asking running(&queue, gate.Order("p"), "greedy");
  gate.begun.WaitForNotification();
  std::vector<std::string> made;
  std::vector<std::unique_ptr<Asking>> asking;
  for (const char* key : {"a1", "a2", "a3", "b1"}) {
    const std::string caller(1, *key);
    asking.push_back(
        std::make_unique<Asking>(&queue, Quick(key, &made), caller));
    AwaitWaiting(queue, static_cast<int>(asking.size()));
  }
  gate.open.Notify();
  for (auto& one : asking) EXPECT_TRUE(one->Result().ok());
  EXPECT_THAT(made, ElementsAre("a1", "b1", "a2", "a3"));
}

TEST(PlanningQueueTest, WhereTooManyWaitTheGreediestGivesWay) {
  PlanningQueue queue({.threads = 1, .waiting = 2});
  Gate gate;
  Asking running(&queue, gate.Order("p"), "greedy");
  gate.begun.WaitForNotification();
  std::vector<std::string> made;
  Asking first(&queue, Quick("a1", &made), "greedy");
  AwaitWaiting(queue, 1);
  Asking last(&queue, Quick("a2", &made), "greedy");
  AwaitWaiting(queue, 2);
  Asking modest(&queue, Quick("b1", &made), "modest");
  EXPECT_EQ(last.Result().status().code(),
            absl::StatusCode::kResourceExhausted);
  // Another request of the same caller would be no fairer.
  EXPECT_EQ(queue.Run(Quick("b2", &made), {.name = "modest"}).status().code(),
            absl::StatusCode::kResourceExhausted);
  gate.open.Notify();
  EXPECT_TRUE(first.Result().ok());
  EXPECT_TRUE(modest.Result().ok());
}

TEST(PlanningQueueTest, HigherLimitsLetPlansBeginThatWait) {
  PlanningQueue queue({.threads = 1, .memory_bytes = 10});
  Gate large;
  Gate other;
  Asking first(&queue, large.Order("p", 10), "a");
  large.begun.WaitForNotification();
  Asking second(&queue, other.Order("q", 10), "b");
  AwaitWaiting(queue, 1);
  queue.SetLimits({.threads = 2, .memory_bytes = 20});
  other.begun.WaitForNotification();
  large.open.Notify();
  other.open.Notify();
  EXPECT_TRUE(first.Result().ok());
  EXPECT_TRUE(second.Result().ok());
}

TEST(PlanningQueueTest, APlanThatWaitsSinceTheLimitWasHigherIsMadeAlone) {
  PlanningQueue queue({.threads = 2, .memory_bytes = 10});
  Gate large;
  Gate other;
  Asking first(&queue, large.Order("p", 10), "a");
  large.begun.WaitForNotification();
  Asking second(&queue, other.Order("q", 10), "b");
  AwaitWaiting(queue, 1);
  queue.SetLimits({.threads = 1, .memory_bytes = 1});
  const absl::Status refused = queue.Run(other.Order("r", 2), {}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  large.open.Notify();
  other.begun.WaitForNotification();
  other.open.Notify();
  EXPECT_TRUE(first.Result().ok());
  EXPECT_TRUE(second.Result().ok());
}

TEST(PlanningQueueTest, StoppingCancelsWhatIsMadeAndRefusesWhatWaits) {
  PlanningQueue queue({.threads = 1});
  Gate gate;
  Gate waiting;
  Asking running(&queue, gate.Order("p"), "a");
  gate.begun.WaitForNotification();
  Asking queued(&queue, waiting.Order("q"), "a");
  AwaitWaiting(queue, 1);
  EXPECT_TRUE(queue.Stop(absl::Seconds(60)));
  EXPECT_TRUE(absl::IsUnavailable(running.Result().status()));
  EXPECT_TRUE(absl::IsUnavailable(queued.Result().status()));
  EXPECT_TRUE(absl::IsUnavailable(queue.Run(gate.Order("r"), {}).status()));
}

TEST(PlanningQueueTest, StoppingDoesNotWaitForEverForWorkThatDoesNotListen) {
  PlanningQueue queue({.threads = 1});
  absl::Notification begun;
  absl::Notification end;
  Asking running(
      &queue,
      {.key = "p",
       .work = [&](const policies::Cancellation&) -> absl::StatusOr<MadePlan> {
         begun.Notify();
         end.WaitForNotification();
         return absl::InternalError("late");
       }},
      "a");
  begun.WaitForNotification();
  EXPECT_FALSE(queue.Stop(absl::Milliseconds(1)));
  end.Notify();
}

}  // namespace
}  // namespace stowage
