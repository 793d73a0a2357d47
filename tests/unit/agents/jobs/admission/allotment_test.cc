#include "agents/jobs/admission/allotment.h"

#include <memory>
#include <string>

#include "agents/engine/tier_catalog.h"
#include "agents/jobs/job_server.h"
#include "agents/sharing/fast_memory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/fake_job.h"
#include "tests/unit/agents/fake_service.h"
#include "tests/unit/agents/sizes.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

using testing::HasSubstr;

AllotmentSize Size() {
  return {.owner = "claim 'default/mlp'",
          .fast_bytes = 8 * kMiB,
          .slow = "emulated:cxl",
          .slow_bytes = 64 * kMiB};
}

TEST(AllotmentTest, RefusesALimitAboveIt) {
  const Allotment allotment(Size());
  EXPECT_TRUE(allotment.CheckFast({.bytes = 8 * kMiB}).ok());
  EXPECT_TRUE(allotment.CheckFast({.fraction = 1}).ok());
  EXPECT_TRUE(allotment.CheckFast({}).ok());
  const absl::Status refused = allotment.CheckFast({.bytes = 8 * kMiB + 1});
  EXPECT_EQ(refused.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(refused.message(), HasSubstr("claim 'default/mlp' has 8388608"));
}

TEST(AllotmentTest, GivesTheFirstJobAllThatItDoesNotName) {
  Allotment allotment(Size());
  auto first = allotment.TakeSlow("emulated:cxl");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)->spec(), "emulated:cxl,size=67108864");
  EXPECT_EQ(allotment.TakeSlow("emulated:cxl").status().code(),
            absl::StatusCode::kResourceExhausted);
  first->reset();
  EXPECT_TRUE(allotment.TakeSlow("emulated:cxl").ok());
}

TEST(AllotmentTest, DividesWhatJobsName) {
  Allotment allotment(Size());
  const auto first = allotment.TakeSlow("emulated:cxl,size=48MiB");
  const auto second = allotment.TakeSlow("emulated:cxl,size=16MiB");
  EXPECT_TRUE(first.ok() && second.ok());
  const auto third = allotment.TakeSlow("emulated:cxl,size=1MiB");
  EXPECT_EQ(third.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(third.status().message(), HasSubstr("0 of 67108864 bytes left"));
}

TEST(AllotmentTest, RefusesAnotherTier) {
  Allotment allotment(Size());
  for (const char* other : {"emulated:redl", "dram", "file:/tmp"}) {
    EXPECT_EQ(allotment.TakeSlow(other).status().code(),
              absl::StatusCode::kPermissionDenied);
  }
  EXPECT_EQ(allotment.TakeSlow("nonsense").status().code(),
            absl::StatusCode::kInvalidArgument);
}

// Jobs that ask for whatever they like, at the socket of an allotment.
class AllottedJobsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = JobServer::Start(
        socket_path_, {}, {.fast = "unlimited", .slow = "emulated:cxl"},
        {.node = "node",
         .directories = {.slow =
                             *SlowDirectories::Resolve("emulated:cxl", {"/"})},
         .catalog = &catalog_,
         .service = &service_,
         .fast_memory = &fast_memory_,
         .allotment = &allotment_});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  TempDirectory directory_;
  const std::string socket_path_ = directory_.path() + "/agent.sock";
  TierCatalog catalog_{"node", "dram"};
  FakeService service_;
  FastMemory fast_memory_{8 * kMiB};
  Allotment allotment_{Size()};
  std::unique_ptr<JobServer> server_;
};

TEST_F(AllottedJobsTest, AJobThatNamesNothingHasAllOfIt) {
  const FakeJob job(socket_path_, {});
  ASSERT_TRUE(job.welcome().accepted) << job.welcome().error;
  EXPECT_EQ(job.welcome().limit.most_bytes, 8 * kMiB);
  EXPECT_EQ(job.welcome().tiers[1].capacity_bytes, 64 * kMiB);
}

TEST_F(AllottedJobsTest, AJobThatNamesMoreIsRefused) {
  const FakeJob fast(socket_path_, {.fast = "9MiB"});
  EXPECT_FALSE(fast.welcome().accepted);
  EXPECT_THAT(fast.welcome().error, HasSubstr("claim 'default/mlp' has"));
  const FakeJob slow(socket_path_, {.slow = "emulated:cxl,size=65MiB"});
  EXPECT_FALSE(slow.welcome().accepted);
  EXPECT_THAT(slow.welcome().error, HasSubstr("asks for more slow memory"));
  const FakeJob elsewhere(socket_path_, {.slow = "dram"});
  EXPECT_FALSE(elsewhere.welcome().accepted);
  EXPECT_THAT(elsewhere.welcome().error, HasSubstr("'emulated:cxl' alone"));
}

TEST_F(AllottedJobsTest, AJobThatNamesLessHasLess) {
  const FakeJob job(socket_path_,
                    {.fast = "2MiB", .slow = "emulated:cxl,size=4MiB"});
  ASSERT_TRUE(job.welcome().accepted) << job.welcome().error;
  EXPECT_EQ(job.welcome().limit.limit_bytes, 2 * kMiB);
  EXPECT_EQ(job.welcome().tiers[1].capacity_bytes, 4 * kMiB);
}

TEST_F(AllottedJobsTest, AJobThatComesBackWithMoreIsRefused) {
  FakeJob job(socket_path_, {});
  ASSERT_TRUE(job.welcome().accepted) << job.welcome().error;
  const FakeJob back(socket_path_, {.left_fds = job.CopyOfFds(),
                                    .limit = {.limit_bytes = 16 * kMiB}});
  EXPECT_FALSE(back.welcome().accepted);
  EXPECT_THAT(back.welcome().error, HasSubstr("asks for 16777216 bytes"));
}

TEST_F(AllottedJobsTest, AJobThatComesBackWithALargerArenaIsRefused) {
  TempDirectory elsewhere;
  FastMemory fast_memory(8 * kMiB);
  auto larger = JobServer::Start(
      elsewhere.path() + "/agent.sock", {}, {.slow = "emulated:cxl,size=65MiB"},
      {.directories = {.slow = *SlowDirectories::Resolve("emulated:cxl", {})},
       .catalog = &catalog_,
       .service = &service_,
       .fast_memory = &fast_memory});
  ASSERT_TRUE(larger.ok()) << larger.status();
  const FakeJob job(elsewhere.path() + "/agent.sock", {});
  ASSERT_TRUE(job.welcome().accepted) << job.welcome().error;
  const FakeJob back(socket_path_, {.left_fds = job.CopyOfFds()});
  EXPECT_FALSE(back.welcome().accepted);
  EXPECT_THAT(back.welcome().error, HasSubstr("asks for more slow memory"));
}

}  // namespace
}  // namespace stowage::agent
