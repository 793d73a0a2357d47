#include "agents/sharing/fast_memory.h"

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/sizes.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

constexpr absl::Duration kPatient = absl::Minutes(5);

bool Never() { return false; }

std::unique_ptr<FastShare> Join(FastMemory& memory, int64_t floor_mib,
                                int64_t want_mib) {
  auto share = memory.Join(
      {.floor_bytes = floor_mib * kMiB, .want_bytes = want_mib * kMiB},
      kPatient, Never);
  EXPECT_TRUE(share.ok()) << share.status();
  return *std::move(share);
}

// Lets the job obey whatever it is told next; returns what it has then.
int64_t Obey(FastShare& share) {
  while (share.NextMost().has_value()) share.NoteInForce();
  return share.first_most_bytes();
}

TEST(FastMemoryTest, WithoutATotalNobodyHasABound) {
  FastMemory memory(0);
  const auto share = Join(memory, 5, 10);
  EXPECT_EQ(share->first_most_bytes(), 0);
  share->Claim(1000 * kMiB);
  EXPECT_EQ(share->NextMost(), std::nullopt);
}

TEST(FastMemoryTest, AJobBeginsWithWhatIsFree) {
  FastMemory memory(100 * kMiB);
  const auto first = Join(memory, 30, 80);
  EXPECT_EQ(first->first_most_bytes(), 80 * kMiB);
  const auto second = Join(memory, 10, 80);
  EXPECT_EQ(second->first_most_bytes(), 20 * kMiB);
}

TEST(FastMemoryTest, AJobWaitsForItsFloorUntilAnotherHasGivenItBack) {
  FastMemory memory(100 * kMiB);
  const auto first = Join(memory, 30, 100);
  std::unique_ptr<FastShare> second;
  std::thread joiner([&] { second = Join(memory, 40, 60); });
  while (first->NextMost() != std::optional<int64_t>(60 * kMiB)) {
    std::this_thread::yield();
  }
  first->NoteInForce();
  joiner.join();
  EXPECT_EQ(second->first_most_bytes(), 40 * kMiB);
}

TEST(FastMemoryTest, AJobThatNeverEndsAStepKeepsOthersOutWithAReason) {
  FastMemory memory(100 * kMiB);
  const auto first = Join(memory, 30, 100);
  const auto second =
      memory.Join({.floor_bytes = 40 * kMiB, .want_bytes = 60 * kMiB},
                  absl::Milliseconds(1), Never);
  ASSERT_TRUE(absl::IsResourceExhausted(second.status()));
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr("have not given back"));
  // Nothing is left of it.
  EXPECT_EQ(first->NextMost(), std::nullopt);
}

TEST(FastMemoryTest, WhoeverHangsUpWaitsNoLonger) {
  FastMemory memory(100 * kMiB);
  const auto first = Join(memory, 30, 100);
  const auto second =
      memory.Join({.floor_bytes = 40 * kMiB, .want_bytes = 60 * kMiB}, kPatient,
                  [] { return true; });
  EXPECT_FALSE(second.ok());
}

TEST(FastMemoryTest, FloorsThatAreMoreThanTheHostHasAreRefused) {
  FastMemory memory(100 * kMiB);
  const auto first = Join(memory, 70, 80);
  const auto second = memory.Join(
      {.floor_bytes = 31 * kMiB, .want_bytes = 60 * kMiB}, kPatient, Never);
  ASSERT_TRUE(absl::IsResourceExhausted(second.status()));
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr("the host has 104857600 for all"));
}

TEST(FastMemoryTest, TwoThatWantMoreThanThereIsShareIt) {
  FastMemory memory(100 * kMiB);
  const auto first = Join(memory, 30, 60);
  const auto second = Join(memory, 30, 60);
  first->Claim(60 * kMiB);
  second->Claim(60 * kMiB);
  EXPECT_EQ(second->NextMost(), std::nullopt);  // nothing is free yet
  EXPECT_THAT(first->NextMost(), Optional(50 * kMiB));
  EXPECT_EQ(second->NextMost(), std::nullopt);  // the first still has it
  first->NoteInForce();
  EXPECT_THAT(second->NextMost(), Optional(50 * kMiB));
  second->NoteInForce();
  EXPECT_EQ(first->NextMost(), std::nullopt);
}

TEST(FastMemoryTest, WhatMemoryIsWorthMattersWhereThereIsTooLittle) {
  FastMemory memory(100 * kMiB);
  const auto first = Join(memory, 30, 60);
  first->Claim(60 * kMiB);
  EXPECT_FALSE(first->ContestedRange().has_value());
  const auto second = Join(memory, 30, 60);
  // It has not shown what it needs.
  EXPECT_FALSE(second->ContestedRange().has_value());
  second->Claim(60 * kMiB);
  const auto range = second->ContestedRange();
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->least_bytes, 30 * kMiB);
  EXPECT_EQ(range->most_bytes, 60 * kMiB);
  second->Claim(35 * kMiB);
  EXPECT_FALSE(second->ContestedRange().has_value());
}

TEST(FastMemoryTest, TheJobWhoseStepsGainMostGetsWhatItWants) {
  FastMemory memory(100 * kMiB);
  const auto first = Join(memory, 30, 60);
  const auto second = Join(memory, 30, 60);
  first->Claim(60 * kMiB);
  second->Claim(60 * kMiB);
  first->NoteCurve({{30 * kMiB, 1'000}, {60 * kMiB, 990}});
  second->NoteCurve({{30 * kMiB, 1'000}, {60 * kMiB, 500}});
  EXPECT_EQ(Obey(*first), 40 * kMiB);
  EXPECT_EQ(Obey(*second), 60 * kMiB);
}

TEST(FastMemoryTest, WhatADeadJobHadIsFreeAtOnce) {
  FastMemory memory(100 * kMiB);
  const auto first = Join(memory, 30, 100);
  auto second = Join(memory, 0, 100);
  first->Claim(100 * kMiB);
  second->Claim(100 * kMiB);
  Obey(*first);
  Obey(*second);
  ASSERT_LT(first->first_most_bytes(), 80 * kMiB);
  second.reset();
  EXPECT_EQ(Obey(*first), 100 * kMiB);
}

TEST(FastMemoryTest, SmallChangesAreNotWorthAPlan) {
  FastMemory memory(100 * kMiB);
  const auto first = Join(memory, 30, 60);
  const auto second = Join(memory, 30, 40);
  first->Claim(60 * kMiB);
  second->Claim(41 * kMiB);
  EXPECT_EQ(first->NextMost(), std::nullopt);
  second->Claim(50 * kMiB);
  EXPECT_NE(first->NextMost(), std::nullopt);
}

TEST(FastMemoryTest, WhoRefusesToHaveLessKeepsWhatItHad) {
  FastMemory memory(100 * kMiB);
  const auto first = Join(memory, 30, 60);
  const auto second = Join(memory, 30, 60);
  first->Claim(60 * kMiB);
  second->Claim(60 * kMiB);
  ASSERT_TRUE(first->NextMost().has_value());
  first->NoteRefused(/*least_bytes=*/1000 * kMiB);
  EXPECT_EQ(first->first_most_bytes(), 60 * kMiB);
  EXPECT_EQ(Obey(*second), 40 * kMiB);
}

TEST(FastMemoryTest, AJobThatComesBackHasWhatItHad) {
  FastMemory memory(100 * kMiB);
  const auto first = memory.Rejoin({.want_bytes = 90 * kMiB}, 90 * kMiB);
  const auto second = memory.Rejoin({.want_bytes = 90 * kMiB}, 90 * kMiB);
  EXPECT_EQ(Obey(*first) + Obey(*second), 100 * kMiB);
}

TEST(FastMemoryTest, WhatAJobThatComesBackDoesNotHoldCountsOnlyIfItIsFree) {
  FastMemory memory(100 * kMiB);
  const auto first = Join(memory, 10, 80);
  const auto holds_little = memory.Rejoin({.want_bytes = 100 * kMiB}, 5 * kMiB);
  EXPECT_EQ(holds_little->first_most_bytes(), 20 * kMiB);
  const auto holds_much = memory.Rejoin({.want_bytes = 50 * kMiB}, 60 * kMiB);
  EXPECT_EQ(holds_much->first_most_bytes(), 50 * kMiB);
  // None has no bound at all.
  const auto holds_nothing = memory.Rejoin({.want_bytes = 100 * kMiB}, 0);
  EXPECT_GT(holds_nothing->first_most_bytes(), 0);
}

TEST(FastMemoryTest, TheFloorOfAJobThatComesBackIsWhatOthersLeaveAtMost) {
  FastMemory memory(100 * kMiB);
  const auto first = Join(memory, 30, 60);
  auto back = memory.Rejoin(
      {.floor_bytes = int64_t{1} << 62, .want_bytes = 90 * kMiB}, 90 * kMiB);
  EXPECT_EQ(Obey(*first), 30 * kMiB);
  EXPECT_EQ(Obey(*back), 70 * kMiB);
  const FastClaim claim{.floor_bytes = kMiB, .want_bytes = kMiB};
  EXPECT_TRUE(
      absl::IsResourceExhausted(memory.Join(claim, kPatient, Never).status()));
  back.reset();
  EXPECT_TRUE(memory.Join(claim, kPatient, Never).ok());
}

// Jobs come, want, obey or refuse, and go, in any order.
TEST(FastMemoryTest, ClaimsOfAnySizeAreShared) {
  FastMemory memory(100 * kMiB);
  constexpr int64_t kAnything = int64_t{1} << 62;
  std::vector<std::unique_ptr<FastShare>> shares;
  for (int job = 0; job < 4; ++job) {
    shares.push_back(memory.Rejoin({.want_bytes = kMiB}, 0));
    shares.back()->Claim(kAnything);
  }
  for (const auto& share : shares) EXPECT_EQ(Obey(*share), 25 * kMiB);
}

TEST(FastMemoryTest, AllJobsTogetherNeverHaveMoreThanThereIs) {
  std::mt19937 random(17);
  FastMemory memory(1000 * kMiB);
  struct Job {
    std::unique_ptr<FastShare> share;
    int64_t most_bytes = 0;
    std::optional<int64_t> told_bytes;
  };
  std::vector<Job> jobs;
  for (int i = 0; i < 20'000; ++i) {
    if (jobs.size() < 6 && random() % 8 == 0) {
      auto share = memory.Join(
          {.floor_bytes = static_cast<int64_t>(random() % 100) * kMiB,
           .want_bytes = static_cast<int64_t>(100 + random() % 900) * kMiB},
          absl::ZeroDuration(), Never);
      if (share.ok()) {
        const int64_t most_bytes = (*share)->first_most_bytes();
        jobs.push_back({.share = *std::move(share), .most_bytes = most_bytes});
      }
    } else if (!jobs.empty()) {
      const size_t index = random() % jobs.size();
      Job& job = jobs[index];
      const uint32_t what = random() % 32;
      if (what == 0) {
        jobs.erase(jobs.begin() + static_cast<int64_t>(index));
      } else if (what < 4) {
        job.share->Claim(static_cast<int64_t>(random() % 1200) * kMiB);
      } else if (what == 4) {
        job.share->NoteCurve(
            {{static_cast<int64_t>(random() % 300) * kMiB,
              static_cast<int64_t>(random() % 1000)},
             {500 * kMiB, static_cast<int64_t>(random() % 1000)}});
      } else if (!job.told_bytes.has_value()) {
        job.told_bytes = job.share->NextMost();
      } else if (what < 7) {
        job.share->NoteRefused(*job.told_bytes + kMiB);
        job.told_bytes.reset();
      } else {
        job.share->NoteInForce();
        job.most_bytes = *job.told_bytes;
        job.told_bytes.reset();
      }
    }
    int64_t sum_bytes = 0;
    for (const Job& job : jobs) {
      sum_bytes += std::max(job.most_bytes, job.told_bytes.value_or(0));
    }
    ASSERT_LE(sum_bytes, 1000 * kMiB);
  }
}

}  // namespace
}  // namespace stowage::agent
