#include "agents/kubernetes/prepared_claims.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "agents/engine/tier_catalog.h"
#include "agents/kubernetes/cdi_spec.h"
#include "agents/sharing/fast_memory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/fake_job.h"
#include "tests/unit/agents/fake_service.h"
#include "tests/unit/agents/kubernetes/allocated_claim.h"
#include "tests/unit/agents/sizes.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

using testing::HasSubstr;

bool Never() { return false; }

class PreparedClaimsTest : public testing::Test {
 protected:
  void SetUp() override { Start(); }

  // Starts as an agent does, after another one or as the first.
  void Start() {
    claims_.reset();
    fast_memory_ = std::make_unique<FastMemory>(64 * kMiB);
    const ClaimServing serving{
        .context = {.node = "node1",
                    .directories = {.slow = *SlowDirectories::Resolve(
                                        "emulated:cxl,size=1GiB", {})},
                    .catalog = &catalog_,
                    .service = &service_,
                    .fast_memory = fast_memory_.get()}};
    claims_ = std::make_unique<PreparedClaims>(
        ClaimPlaces{.state_dir = StateDir(),
                    .cdi_dir = cdi_dir_,
                    .sdk_dir = "/opt/stowage",
                    .node = "node1"},
        NodeMemory{.fast = {.bytes = 64 * kMiB},
                   .slow = {.bytes = 1024 * kMiB}},
        serving, [this](const ClaimRef&) {
          ++fetched_;
          return stored_;
        });
    claims_->Restore();
  }

  std::string StateDir() const { return directory_.path() + "/claims"; }
  std::string SocketPath() const { return StateDir() + "/1-2/agent.sock"; }
  std::string CdiPath() const { return cdi_dir_ + "/" + CdiFileOf("1-2"); }
  absl::StatusOr<ClaimGrant> Prepare() {
    return claims_->Prepare(RefOfTheClaim(), Never);
  }

  TempDirectory directory_;
  std::string cdi_dir_ = directory_.path() + "/cdi";
  TierCatalog catalog_{"node1", "dram"};
  FakeService service_;
  absl::StatusOr<nlohmann::json> stored_ = AllocatedClaim("8Mi", "128Mi");
  int fetched_ = 0;
  std::unique_ptr<FastMemory> fast_memory_;
  std::unique_ptr<PreparedClaims> claims_;
};

TEST_F(PreparedClaimsTest, ServesJobsWithWhatTheClaimHas) {
  ASSERT_TRUE(Prepare().ok());
  const FakeJob job(SocketPath(), {});
  ASSERT_TRUE(job.welcome().accepted) << job.welcome().error;
  EXPECT_EQ(job.welcome().limit.most_bytes, 8 * kMiB);
  EXPECT_EQ(job.welcome().tiers[1].capacity_bytes, 128 * kMiB);
  const FakeJob greedy(SocketPath(), {.fast = "9MiB"});
  EXPECT_FALSE(greedy.welcome().accepted);
}

TEST_F(PreparedClaimsTest, TellsTheContainerRuntime) {
  ASSERT_TRUE(Prepare().ok());
  std::ifstream file(CdiPath());
  const nlohmann::json spec = nlohmann::json::parse(file);
  EXPECT_EQ(spec["devices"][0]["containerEdits"]["mounts"][0]["hostPath"],
            StateDir() + "/1-2");
}

TEST_F(PreparedClaimsTest, LetsEverybodyWhoSeesTheSocketConnect) {
  ASSERT_TRUE(Prepare().ok());
  struct stat status;
  ASSERT_EQ(stat(SocketPath().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0666);
  ASSERT_EQ(stat((StateDir() + "/1-2").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0755);
  ASSERT_EQ(stat(StateDir().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700);
}

TEST_F(PreparedClaimsTest, AsksOnceForAClaimThatIsPreparedAgain) {
  ASSERT_TRUE(Prepare().ok());
  std::filesystem::remove(CdiPath());
  stored_ = absl::UnavailableError("the API server is away");
  const absl::StatusOr<ClaimGrant> again = Prepare();
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->fast_bytes, 8 * kMiB);
  EXPECT_EQ(fetched_, 1);
  EXPECT_TRUE(std::filesystem::exists(CdiPath()));
}

TEST_F(PreparedClaimsTest, TakesEverythingAway) {
  ASSERT_TRUE(Prepare().ok());
  EXPECT_TRUE(claims_->Unprepare(RefOfTheClaim()).ok());
  EXPECT_FALSE(std::filesystem::exists(CdiPath()));
  EXPECT_TRUE(std::filesystem::is_empty(StateDir()));
  EXPECT_EQ(claims_->count(), 0);
  EXPECT_TRUE(claims_->Unprepare(RefOfTheClaim()).ok());
}

TEST_F(PreparedClaimsTest, TheNextAgentServesItsJobs) {
  ASSERT_TRUE(Prepare().ok());
  claims_->Stop();
  // A job that begins now waits for the next agent.
  EXPECT_TRUE(std::filesystem::exists(SocketPath()));
  std::filesystem::remove(CdiPath());
  Start();
  EXPECT_EQ(claims_->count(), 1);
  EXPECT_TRUE(std::filesystem::exists(CdiPath()));
  const FakeJob job(SocketPath(), {});
  ASSERT_TRUE(job.welcome().accepted) << job.welcome().error;
  EXPECT_EQ(job.welcome().limit.most_bytes, 8 * kMiB);
}

TEST_F(PreparedClaimsTest, IsNotStoppedByAFileThatIsNoClaim) {
  ASSERT_TRUE(Prepare().ok());
  claims_->Stop();
  std::ofstream(StateDir() + "/garbage.json") << "{\"uid\": [";
  Start();
  EXPECT_EQ(claims_->count(), 1);
}

TEST_F(PreparedClaimsTest, TakesItsPartOfTheHostsMemory) {
  stored_ = AllocatedClaim("64Mi", "128Mi");
  ASSERT_TRUE(Prepare().ok());
  const auto gone = [] { return true; };
  EXPECT_FALSE(fast_memory_
                   ->Join({.floor_bytes = kMiB, .want_bytes = kMiB},
                          absl::ZeroDuration(), gone)
                   .ok());
  ASSERT_TRUE(claims_->Unprepare(RefOfTheClaim()).ok());
  EXPECT_TRUE(fast_memory_
                  ->Join({.floor_bytes = kMiB, .want_bytes = kMiB},
                         absl::ZeroDuration(), gone)
                  .ok());
}

TEST_F(PreparedClaimsTest, RefusesAClaimWhoseMemoryOthersHold) {
  const auto held =
      fast_memory_->Join({.floor_bytes = 60 * kMiB, .want_bytes = 60 * kMiB},
                         absl::ZeroDuration(), Never);
  ASSERT_TRUE(held.ok());
  const absl::StatusOr<ClaimGrant> grant = Prepare();
  EXPECT_EQ(grant.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(grant.status().message(), HasSubstr("'default/mlp' has 8388608"));
  EXPECT_FALSE(std::filesystem::exists(StateDir() + "/1-2"));
}

TEST_F(PreparedClaimsTest, RefusesAClaimThatIsNotThere) {
  stored_ = absl::NotFoundError("claim 'default/mlp' is not there any more");
  EXPECT_EQ(Prepare().status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(StateDir()));
}

TEST_F(PreparedClaimsTest, SaysWhichDirectoryItCannotWrite) {
  std::ofstream(directory_.path() + "/file") << "not a directory";
  cdi_dir_ = directory_.path() + "/file/cdi";
  Start();
  const absl::StatusOr<ClaimGrant> grant = Prepare();
  EXPECT_THAT(grant.status().message(), HasSubstr(cdi_dir_));
  EXPECT_FALSE(std::filesystem::exists(SocketPath()));
  EXPECT_EQ(claims_->count(), 0);
}

}  // namespace
}  // namespace stowage::agent
