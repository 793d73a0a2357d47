#include "agents/claims/open_claims.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "agents/engine/tier_catalog.h"
#include "agents/sharing/fast_memory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/fake_job.h"
#include "tests/unit/agents/fake_service.h"
#include "tests/unit/agents/sizes.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

bool Never() { return false; }

class OpenClaimsTest : public testing::Test {
 protected:
  void SetUp() override { Start(); }

  // Starts as an agent does, after another one or as the first.
  void Start() {
    claims_.reset();
    fast_memory_ = std::make_unique<FastMemory>(64 * kMiB);
    claims_ = std::make_unique<OpenClaims>(
        ClaimsDirectory{.path = path_,
                        .mode = 0711,
                        .publish =
                            [this](const MemoryClaim& claim) {
                              published_.push_back(claim.id);
                              return publishing_;
                            },
                        .withdraw =
                            [this](const std::string& id) {
                              withdrawn_.push_back(id);
                              return absl::OkStatus();
                            }},
        ClaimServing{
            .context = {.node = "node1",
                        .directories = {.slow = *SlowDirectories::Resolve(
                                            "emulated:cxl,size=1GiB", {})},
                        .catalog = &catalog_,
                        .service = &service_,
                        .fast_memory = fast_memory_.get()}});
    claims_->Restore();
  }

  absl::StatusOr<MemoryClaim> Open(int64_t fast_bytes = 8 * kMiB) {
    return claims_->Open(
        "c1",
        [&]() -> absl::StatusOr<MemoryClaim> {
          ++asked_;
          return MemoryClaim{.id = "c1",
                             .owner = "claim 'one'",
                             .fast_bytes = fast_bytes,
                             .slow_bytes = 128 * kMiB};
        },
        Never);
  }

  TempDirectory directory_;
  std::string path_ = directory_.path() + "/claims";
  const std::string socket_ = path_ + "/c1/agent.sock";
  TierCatalog catalog_{"node1", "dram"};
  FakeService service_;
  absl::Status publishing_;
  std::vector<std::string> published_, withdrawn_;
  int asked_ = 0;
  std::unique_ptr<FastMemory> fast_memory_;
  std::unique_ptr<OpenClaims> claims_;
};

TEST_F(OpenClaimsTest, ServesJobsWithWhatAClaimHas) {
  ASSERT_TRUE(Open().ok());
  const FakeJob job(socket_, {});
  ASSERT_TRUE(job.welcome().accepted) << job.welcome().error;
  EXPECT_EQ(job.welcome().limit.most_bytes, 8 * kMiB);
  EXPECT_EQ(job.welcome().tiers[1].capacity_bytes, 128 * kMiB);
  ASSERT_EQ(claims_->List().size(), 1);
  EXPECT_EQ(claims_->List()[0].claim.owner, "claim 'one'");
  EXPECT_EQ(claims_->List()[0].jobs, 1);
}

TEST_F(OpenClaimsTest, LetsWhoeverItIsToldEnterItsDirectory) {
  ASSERT_TRUE(Open().ok());
  struct stat status;
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0711);
  ASSERT_EQ(stat(claims_->SocketDir("c1").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0755);
}

TEST_F(OpenClaimsTest, AsksOnceAndPublishesAgain) {
  ASSERT_TRUE(Open().ok());
  ASSERT_TRUE(Open().ok());
  EXPECT_EQ(asked_, 1);
  EXPECT_THAT(published_, ElementsAre("c1", "c1"));
}

TEST_F(OpenClaimsTest, TakesEverythingAway) {
  ASSERT_TRUE(Open().ok());
  EXPECT_TRUE(claims_->Close("c1").ok());
  EXPECT_TRUE(std::filesystem::is_empty(path_));
  EXPECT_THAT(withdrawn_, ElementsAre("c1"));
  EXPECT_EQ(claims_->count(), 0);
  EXPECT_TRUE(claims_->Close("c1").ok());
  EXPECT_TRUE(claims_->Close("../never").ok());
}

TEST_F(OpenClaimsTest, GivesTheHostItsMemoryBack) {
  ASSERT_TRUE(Open(60 * kMiB).ok());
  const auto gone = [] { return true; };
  const FastClaim other{.floor_bytes = 8 * kMiB, .want_bytes = 8 * kMiB};
  EXPECT_FALSE(fast_memory_->Join(other, absl::ZeroDuration(), gone).ok());
  ASSERT_TRUE(claims_->Close("c1").ok());
  EXPECT_TRUE(fast_memory_->Join(other, absl::ZeroDuration(), gone).ok());
}

TEST_F(OpenClaimsTest, TheNextAgentServesItsJobs) {
  ASSERT_TRUE(Open().ok());
  claims_->Stop();
  // A job that begins now waits for the next agent.
  EXPECT_TRUE(std::filesystem::exists(socket_));
  Start();
  EXPECT_EQ(claims_->count(), 1);
  EXPECT_THAT(published_, ElementsAre("c1", "c1"));
  const FakeJob job(socket_, {});
  EXPECT_EQ(job.welcome().limit.most_bytes, 8 * kMiB) << job.welcome().error;
}

TEST_F(OpenClaimsTest, IsNotStoppedByAFileThatIsNoClaim) {
  ASSERT_TRUE(Open().ok());
  claims_->Stop();
  std::ofstream(path_ + "/garbage.json") << "{\"uid\": [";
  Start();
  EXPECT_EQ(claims_->count(), 1);
}

TEST_F(OpenClaimsTest, RefusesWhatTheHostHasNotLeft) {
  const auto held =
      fast_memory_->Join({.floor_bytes = 60 * kMiB, .want_bytes = 60 * kMiB},
                         absl::ZeroDuration(), Never);
  ASSERT_TRUE(held.ok());
  const absl::StatusOr<MemoryClaim> claim = Open();
  EXPECT_EQ(claim.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(claim.status().message(), HasSubstr("'one' has 8388608"));
  EXPECT_TRUE(std::filesystem::is_empty(path_));
}

TEST_F(OpenClaimsTest, OpensNothingThatCannotBePublished) {
  publishing_ = absl::PermissionDeniedError("the directory is read-only");
  EXPECT_EQ(Open().status(), publishing_);
  EXPECT_EQ(claims_->count(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(path_));
}

TEST_F(OpenClaimsTest, RefusesIdsThatAreNoNamesOfFiles) {
  const auto find = []() -> absl::StatusOr<MemoryClaim> {
    return absl::InternalError("nobody asks");
  };
  EXPECT_EQ(claims_->Open("../x", find, Never).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace stowage::agent
