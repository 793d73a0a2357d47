#include "agents/claims/local_claims.h"

#include <unistd.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/engine/tier_catalog.h"
#include "agents/jobs/records/fixed_text.h"
#include "agents/sharing/fast_memory.h"
#include "client_sdk/session/session.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/fake_job.h"
#include "tests/unit/agents/fake_service.h"
#include "tests/unit/agents/sizes.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

using testing::HasSubstr;

bool Endless() { return false; }

session::ClaimRequest Opening(const std::string& name,
                              int64_t fast_bytes = 8 * kMiB) {
  session::ClaimRequest request{};
  request.action = session::kClaimOpen;
  SetText(request.name, name);
  request.fast_bytes = fast_bytes;
  request.slow_bytes = 128 * kMiB;
  request.uid = 1000;
  return request;
}

session::ClaimRequest Closing(const std::string& name) {
  session::ClaimRequest request{};
  request.action = session::kClaimClose;
  SetText(request.name, name);
  return request;
}

struct Answered {
  absl::Status status;
  std::vector<session::ClaimEntry> entries;
};

Answered ReadAnswer(const std::string& bytes) {
  session::ClaimAnswer answer{};
  std::memcpy(&answer, bytes.data(), sizeof(answer));
  std::vector<session::ClaimEntry> entries(answer.count);
  std::memcpy(entries.data(), bytes.data() + sizeof(answer),
              bytes.size() - sizeof(answer));
  return {absl::Status(static_cast<absl::StatusCode>(answer.code), answer.text),
          entries};
}

class LocalClaimsTest : public testing::Test {
 protected:
  void SetUp() override {
    Make({.fast_bytes = 64 * kMiB, .slow_bytes = 256 * kMiB});
    claims_->Begin();
  }

  void Make(NodeAmounts node) {
    claims_.reset();
    fast_memory_.emplace(node.fast_bytes);
    claims_ = std::make_unique<LocalClaims>(
        directory_.path() + "/local-claims", node,
        ClaimServing{
            .context = {.node = "node1",
                        .directories = {.slow = *SlowDirectories::Resolve(
                                            "emulated:cxl,size=256MiB", {})},
                        .catalog = &catalog_,
                        .service = &service_,
                        .fast_memory = &*fast_memory_}});
  }

  Answered Ask(session::ClaimRequest request, uid_t uid = geteuid()) {
    request.magic = session::kClaimMagic;
    request.version = session::kVersion;
    return ReadAnswer(claims_->Answer(
        absl::string_view(reinterpret_cast<const char*>(&request),
                          sizeof(request)),
        {.uid = uid}, Endless));
  }

  std::vector<session::ClaimEntry> List() {
    return Ask({.action = session::kClaimList}).entries;
  }

  TempDirectory directory_;
  TierCatalog catalog_{"node1", "dram"};
  FakeService service_;
  std::optional<FastMemory> fast_memory_;
  std::unique_ptr<LocalClaims> claims_;
};

TEST_F(LocalClaimsTest, OpensAClaimAndSaysWhere) {
  const Answered opened = Ask(Opening("slurm-17"));
  ASSERT_TRUE(opened.status.ok()) << opened.status;
  ASSERT_EQ(opened.entries.size(), 1);
  const session::ClaimEntry& entry = opened.entries[0];
  EXPECT_EQ(entry.socket,
            directory_.path() + "/local-claims/slurm-17/agent.sock");
  const FakeJob job(entry.socket, {});
  ASSERT_TRUE(job.welcome().accepted) << job.welcome().error;
  EXPECT_EQ(job.welcome().limit.most_bytes, 8 * kMiB);
  const FakeJob greedy(entry.socket, {.fast = "9MiB"});
  EXPECT_THAT(greedy.welcome().error, HasSubstr("claim 'slurm-17'"));
}

TEST_F(LocalClaimsTest, OpensTheSameClaimAgain) {
  ASSERT_TRUE(Ask(Opening("slurm-17")).status.ok());
  EXPECT_TRUE(Ask(Opening("slurm-17")).status.ok());
  EXPECT_EQ(List().size(), 1);
}

TEST_F(LocalClaimsTest, RefusesAnotherClaimOfThatName) {
  ASSERT_TRUE(Ask(Opening("slurm-17")).status.ok());
  const absl::Status larger = Ask(Opening("slurm-17", 9 * kMiB)).status;
  EXPECT_EQ(larger.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(larger.message(), HasSubstr("8388608 bytes of fast"));
  session::ClaimRequest of_another = Opening("slurm-17");
  of_another.uid = 1001;
  EXPECT_EQ(Ask(of_another).status.code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(LocalClaimsTest, ListsWhatIsOpen) {
  ASSERT_TRUE(Ask(Opening("b")).status.ok());
  ASSERT_TRUE(Ask(Opening("a", 4 * kMiB)).status.ok());
  const auto entries = List();
  ASSERT_EQ(entries.size(), 2);
  EXPECT_STREQ(entries[0].name, "a");
  EXPECT_EQ(entries[0].fast_bytes, 4 * kMiB);
  EXPECT_EQ(entries[0].slow_bytes, 128 * kMiB);
  EXPECT_EQ(entries[0].uid, 1000);
  EXPECT_EQ(entries[0].jobs, 0);
}

TEST_F(LocalClaimsTest, ClosesAClaimAndForgivesThatThereIsNone) {
  ASSERT_TRUE(Ask(Opening("slurm-17")).status.ok());
  EXPECT_TRUE(Ask(Closing("slurm-17")).status.ok());
  EXPECT_TRUE(List().empty());
  EXPECT_TRUE(Ask(Closing("slurm-17")).status.ok());
}

TEST_F(LocalClaimsTest, RefusesWhatIsNotThere) {
  EXPECT_THAT(Ask(Opening("x", 65 * kMiB)).status.message(),
              HasSubstr("--fast-total is 67108864"));
  session::ClaimRequest wide = Opening("x");
  wide.slow_bytes = 257 * kMiB;
  EXPECT_THAT(Ask(wide).status.message(), HasSubstr("--slow has 268435456"));
  ASSERT_TRUE(Ask(Opening("x", 60 * kMiB)).status.ok());
  EXPECT_EQ(Ask(Opening("y")).status.code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(LocalClaimsTest, ListensToRootAndItsOwnUserAlone) {
  for (const auto& request :
       {Opening("x"), Closing("x"),
        session::ClaimRequest{.action = session::kClaimList}}) {
    const Answered answered = Ask(request, geteuid() + 1);
    EXPECT_EQ(answered.status.code(), absl::StatusCode::kPermissionDenied);
    EXPECT_THAT(answered.status.message(), HasSubstr("may not open"));
    EXPECT_TRUE(Ask(request, 0).status.ok());
  }
}

TEST_F(LocalClaimsTest, SaysWhatAnAgentNeeds) {
  Make({});
  claims_->Begin();
  const absl::Status refused = Ask(Opening("x")).status;
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("start it with --fast-total"));
  EXPECT_TRUE(List().empty());
}

TEST_F(LocalClaimsTest, AnswersWhenItHasBegun) {
  ASSERT_TRUE(Ask(Opening("slurm-17")).status.ok());
  claims_->Stop();
  Make({.fast_bytes = 64 * kMiB});
  EXPECT_EQ(Ask(Opening("slurm-17")).status.code(),
            absl::StatusCode::kUnavailable);
  claims_->Begin();
  EXPECT_EQ(List().size(), 1);
  EXPECT_TRUE(Ask(Opening("slurm-17")).status.ok());
}

TEST_F(LocalClaimsTest, SurvivesRequestsThatAreNone) {
  EXPECT_EQ(ReadAnswer(claims_->Answer("towclaim", {.uid = 0}, Endless))
                .status.code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace stowage::agent
