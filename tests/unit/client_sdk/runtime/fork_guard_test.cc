// Forks a process with a Job. The guard is installed once, so all tests share
// one process.
#include "client_sdk/runtime/fork_guard.h"

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_process.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

bool g_in_child = false;

class ForkGuardTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    process_ = new FakeProcess({.fast_bytes = 40 * kUnit,
                                .slow_bytes = 100 * kUnit,
                                .limit_bytes = 8 * kUnit},
                               {.demand_only = true});
    InstallForkGuard(&process_->job(), &process_->client(),
                     [] { g_in_child = true; });
  }

  // Forks; the child waits until `meanwhile` has run in the parent and exits
  // with what `child` returns.
  static bool InChild(
      const std::function<bool()>& child,
      const std::function<void()>& meanwhile = [] {}) {
    int go[2];
    EXPECT_EQ(pipe(go), 0);
    const pid_t pid = fork();
    if (pid == 0) {
      char byte;
      const bool told = read(go[0], &byte, 1) == 1;
      _exit(told && child() ? 0 : 1);
    }
    meanwhile();
    EXPECT_EQ(write(go[1], "x", 1), 1);
    int status = -1;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    close(go[0]);
    close(go[1]);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  static inline FakeProcess* process_ = nullptr;  // ends with the test process
};

TEST_F(ForkGuardTest, AChildSeesTheTensorsOfTheMomentOfTheFork) {
  TensorPtr fast = process_->New(kUnit);
  const uint64_t seed = fast->seed;
  EXPECT_TRUE(
      InChild([&] { return fast->seed == seed && FakeProcess::Intact(*fast); },
              [&] { process_->Run("change", {.writes = {fast.get()}}); }));
  EXPECT_NE(fast->seed, seed);
  EXPECT_TRUE(FakeProcess::Intact(*fast));
}

TEST_F(ForkGuardTest, AChildSeesEvictedTensorsToo) {
  TensorPtr evicted = process_->New(kUnit);
  std::vector<TensorPtr> others;
  for (int i = 0; i < 20; ++i) others.push_back(process_->New(kUnit));
  ASSERT_FALSE(evicted->fast());
  EXPECT_TRUE(
      InChild([&] { return FakeProcess::Intact(*evicted); },
              [&] { process_->Run("change", {.writes = {evicted.get()}}); }));
  for (TensorPtr& other : others) {
    process_->Run("check", {.reads = {other.get()}});
  }
}

TEST_F(ForkGuardTest, AChildSeesWhatWasWrittenInPlaceInASlowTier) {
  TensorPtr large = process_->New(10 * kUnit);
  process_->Run("change", {.writes = {large.get()}});
  EXPECT_TRUE(InChild([&] { return FakeProcess::Intact(*large); }));
}

TEST_F(ForkGuardTest, WhatAChildWritesStaysThere) {
  TensorPtr tensor = process_->New(kUnit);
  EXPECT_TRUE(InChild([&] {
    *tensor->storage.address = 'x';
    return !FakeProcess::Intact(*tensor);
  }));
  EXPECT_TRUE(FakeProcess::Intact(*tensor));
}

TEST_F(ForkGuardTest, ForksInARowSeeTheSame) {
  TensorPtr tensor = process_->New(kUnit);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(InChild([&] { return FakeProcess::Intact(*tensor); }));
  }
}

// The second fork follows a move that no kernel made.
TEST_F(ForkGuardTest, AForkAfterAMoveSeesTheMomentOfTheFork) {
  TensorPtr tensor = process_->New(kUnit);
  {
    std::vector<TensorPtr> others;
    for (int i = 0; i < 20; ++i) others.push_back(process_->New(kUnit));
    ASSERT_FALSE(tensor->fast());
    EXPECT_TRUE(InChild([&] { return FakeProcess::Intact(*tensor); }));
    process_->job().Pin(&tensor->storage);
    ASSERT_TRUE(tensor->fast());
  }
  EXPECT_TRUE(
      InChild([&] { return FakeProcess::Intact(*tensor); },
              [&] { process_->Run("change", {.writes = {tensor.get()}}); }));
}

TEST_F(ForkGuardTest, AChildIsInert) {
  TensorPtr tensor = process_->New(kUnit);
  EXPECT_TRUE(
      InChild([] { return g_in_child && !process_->client().AgentAlive(); }));
  EXPECT_FALSE(g_in_child);
  EXPECT_TRUE(process_->client().AgentAlive());
}

TEST_F(ForkGuardTest, TheParentGoesOnAfterAFork) {
  TensorPtr tensor = process_->New(3 * kUnit);
  ASSERT_TRUE(InChild([] { return true; }));
  std::vector<TensorPtr> others;
  for (int i = 0; i < 20; ++i) others.push_back(process_->New(kUnit));
  process_->Run("check", {.reads = {tensor.get()}});
}

}  // namespace
}  // namespace stowage::runtime
