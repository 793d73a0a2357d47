#include "agents/engine/job_usage.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

constexpr int64_t kMs = 1'000'000;

int64_t UsedNs(clockid_t clock) {
  timespec used = {};
  clock_gettime(clock, &used);
  return used.tv_sec * 1000 * kMs + used.tv_nsec;
}

// Keeps a processor busy, whatever else the host does.
void Work(int64_t duration_ns) {
  const int64_t end_ns = UsedNs(CLOCK_THREAD_CPUTIME_ID) + duration_ns;
  while (UsedNs(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
  }
}

struct CountedJob {
  explicit CountedJob(const std::shared_ptr<AgentUsage>& agent)
      : usage(agent, &total_ns) {}

  // Works on a thread of the job.
  void Work(int64_t duration_ns) {
    std::thread([&] {
      const ThreadUsage thread(&usage);
      agent::Work(duration_ns);
    }).join();
  }

  std::atomic<int64_t> total_ns{0};
  JobUsage usage;
};

class JobUsageTest : public testing::Test {
 protected:
  const std::shared_ptr<AgentUsage> agent_ = std::make_shared<AgentUsage>();
  CountedJob job_{agent_};
};

TEST_F(JobUsageTest, CountsAThreadThatHasEnded) {
  job_.Work(5 * kMs);
  EXPECT_GE(job_.total_ns, 5 * kMs);
  EXPECT_EQ(job_.total_ns, agent_->counted_ns());
}

TEST_F(JobUsageTest, CountsAThreadThatIsStillAtWork) {
  absl::Notification worked, counted;
  std::thread other([&] {
    const ThreadUsage thread(&job_.usage);
    Work(5 * kMs);
    worked.Notify();
    counted.WaitForNotification();
  });
  worked.WaitForNotification();
  job_.usage.Count();
  EXPECT_GE(agent_->counted_ns(), 5 * kMs);
  const int64_t after_ns = agent_->counted_ns();
  counted.Notify();
  other.join();
  EXPECT_LT(agent_->counted_ns(), after_ns + 5 * kMs);  // not once more
}

TEST_F(JobUsageTest, AThreadCountsItselfFromItsConstructionOn) {
  std::thread([&] {
    Work(5 * kMs);
    ThreadUsage thread(&job_.usage);
    thread.Count();
    EXPECT_LT(job_.total_ns, 5 * kMs);
    Work(5 * kMs);
    thread.Count();
    EXPECT_GE(job_.total_ns, 5 * kMs);
  }).join();
}

TEST_F(JobUsageTest, AThreadWithoutAJobCountsNothing) {
  ThreadUsage thread(nullptr);
  Work(kMs);
  thread.Count();
  EXPECT_EQ(job_.total_ns, 0);
}

// As workers of io_uring do.
TEST_F(JobUsageTest, TakesWhatNoThreadOfAJobHasUsed) {
  std::thread([] { Work(20 * kMs); }).join();
  while (job_.total_ns < 20 * kMs) {
    job_.Work(kMs / 10);  // nothing is divided where no job has worked
    job_.usage.Count();
  }
  EXPECT_LE(job_.total_ns, UsedNs(CLOCK_PROCESS_CPUTIME_ID));
}

TEST_F(JobUsageTest, DividesTheRestByWhatTheJobsUsed) {
  CountedJob busy(agent_);
  int64_t own_ns = 0, busy_ns = 0;
  while (job_.total_ns - own_ns < 10 * kMs) {
    std::thread([] { Work(4 * kMs); }).join();
    own_ns -= job_.total_ns;
    job_.Work(kMs);
    own_ns += job_.total_ns;
    busy_ns -= busy.total_ns;
    busy.Work(4 * kMs);
    busy_ns += busy.total_ns;
    job_.usage.Count();
    busy.usage.Count();
  }
  const int64_t share_ns = job_.total_ns - own_ns;
  EXPECT_GT(busy.total_ns - busy_ns, 2 * share_ns);
  EXPECT_LE(job_.total_ns + busy.total_ns, UsedNs(CLOCK_PROCESS_CPUTIME_ID));
}

TEST(AgentUsageTest, TheRestIsReadAgainWhenItIsOld) {
  AgentUsage agent;
  const int64_t first_ns = agent.RestNs(/*now_ns=*/0);
  EXPECT_GT(first_ns, 0);
  Work(kMs);
  EXPECT_EQ(agent.RestNs(AgentUsage::kGoodForNs - 1), first_ns);
  const int64_t second_ns = agent.RestNs(AgentUsage::kGoodForNs);
  EXPECT_GE(second_ns, first_ns + kMs);
}

TEST(AgentUsageTest, TheRestNeverFalls) {
  AgentUsage agent;
  Work(kMs);
  const int64_t first_ns = agent.RestNs(/*now_ns=*/0);
  agent.Count(kMs);
  EXPECT_GE(agent.RestNs(AgentUsage::kGoodForNs), first_ns);
}

}  // namespace
}  // namespace stowage::agent
