#include "agents/kubernetes/claim_grant.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/kubernetes/allocated_claim.h"

namespace stowage::agent {
namespace {

using testing::HasSubstr;

constexpr int64_t kGiB = int64_t{1} << 30;

NodeMemory Memory() {
  return {.fast = {.bytes = 8 * kGiB}, .slow = {.bytes = 64 * kGiB}};
}

absl::StatusOr<ClaimGrant> Read(const nlohmann::json& claim) {
  return ReadGrant(claim, RefOfTheClaim(), "node1", Memory());
}

void ExpectRefused(const nlohmann::json& claim, absl::StatusCode code,
                   const std::string& why) {
  const absl::StatusOr<ClaimGrant> grant = Read(claim);
  EXPECT_EQ(grant.status().code(), code) << grant.status();
  EXPECT_THAT(grant.status().message(), HasSubstr(why));
}

TEST(ClaimGrantTest, HasWhatTheSchedulerAllocated) {
  const absl::StatusOr<ClaimGrant> grant = Read(AllocatedClaim("2Gi", "16Gi"));
  ASSERT_TRUE(grant.ok()) << grant.status();
  EXPECT_EQ(grant->fast_bytes, 2 * kGiB);
  EXPECT_EQ(grant->slow_bytes, 16 * kGiB);
  ASSERT_EQ(grant->devices.size(), 2);
  EXPECT_EQ(grant->devices[0], (GrantedDevice{.pool = "node1",
                                              .device = "fast",
                                              .share_id = "share-of-fast"}));
}

TEST(ClaimGrantTest, AddsSeveralRequestsUp) {
  nlohmann::json claim = AllocatedClaim("2Gi", "16Gi");
  ResultsOf(claim).push_back(ResultOf("fast", "1Gi"));
  EXPECT_EQ(Read(claim)->fast_bytes, 3 * kGiB);
}

TEST(ClaimGrantTest, TakesWholeDevicesWithoutConsumableCapacity) {
  nlohmann::json claim = AllocatedClaim("2Gi", "16Gi");
  for (nlohmann::json& result : ResultsOf(claim)) {
    result.erase("consumedCapacity");
  }
  EXPECT_EQ(Read(claim)->fast_bytes, 8 * kGiB);
  EXPECT_EQ(Read(claim)->slow_bytes, 64 * kGiB);
}

TEST(ClaimGrantTest, LooksAtThisDriverAlone) {
  nlohmann::json claim = AllocatedClaim("2Gi", "16Gi");
  nlohmann::json other = ResultOf("gpu-0", "1");
  other["driver"] = "gpu.example.com";
  ResultsOf(claim).push_back(other);
  EXPECT_EQ(Read(claim)->devices.size(), 2);
}

TEST(ClaimGrantTest, RefusesAClaimThatWasMadeAgain) {
  nlohmann::json claim = AllocatedClaim("2Gi", "16Gi");
  claim["metadata"]["uid"] = "3-4";
  ExpectRefused(claim, absl::StatusCode::kFailedPrecondition,
                "has uid 3-4, and the pod is for 1-2");
}

TEST(ClaimGrantTest, RefusesAUidThatIsNoFileName) {
  ClaimRef ref = RefOfTheClaim();
  ref.uid = "../../etc/passwd";
  EXPECT_EQ(ReadGrant(AllocatedClaim("2Gi", "16Gi"), ref, "node1", Memory())
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ClaimGrantTest, RefusesAClaimThatHasNothingHere) {
  nlohmann::json claim = AllocatedClaim("2Gi", "16Gi");
  claim.erase("status");
  ExpectRefused(claim, absl::StatusCode::kFailedPrecondition,
                "has no memory of memory.stowage.dev on node 'node1'; look at");
  claim = AllocatedClaim("2Gi", "16Gi");
  for (nlohmann::json& result : ResultsOf(claim)) result["pool"] = "node2";
  ExpectRefused(claim, absl::StatusCode::kFailedPrecondition,
                "but on 'node2'; start the agent with --node");
}

TEST(ClaimGrantTest, RefusesAClaimWithOneKindOfMemory) {
  nlohmann::json claim = AllocatedClaim("2Gi", "16Gi");
  ResultsOf(claim).erase(1);
  ExpectRefused(claim, absl::StatusCode::kFailedPrecondition,
                "no memory of the device 'slow'");
}

TEST(ClaimGrantTest, RefusesMoreThanTheNodeHas) {
  ExpectRefused(AllocatedClaim("9Gi", "16Gi"),
                absl::StatusCode::kResourceExhausted,
                "has 9663676416 bytes of 'fast', and the node has 8589934592");
  nlohmann::json claim = AllocatedClaim("1Ei", "16Gi");
  for (int i = 0; i < 20; ++i)
    ResultsOf(claim).push_back(ResultOf("fast", "1Ei"));
  ExpectRefused(claim, absl::StatusCode::kResourceExhausted, "of 'fast'");
}

TEST(ClaimGrantTest, RefusesAdminAccess) {
  nlohmann::json claim = AllocatedClaim("2Gi", "16Gi");
  ResultsOf(claim)[0]["adminAccess"] = true;
  ExpectRefused(claim, absl::StatusCode::kFailedPrecondition, "admin access");
}

TEST(ClaimGrantTest, RefusesWhatIsNoClaim) {
  for (const char* text :
       {"null", "[]", "3", R"({"metadata": 3})", R"({"metadata": {"uid": 7}})",
        R"({"metadata": {"uid": "1-2"}, "status": []})",
        R"({"metadata": {"uid": "1-2"}, "status": {"allocation": {"devices":
            {"results": [3, {"driver": "memory.stowage.dev"}]}}}})"}) {
    EXPECT_FALSE(Read(nlohmann::json::parse(text)).ok()) << text;
  }
  nlohmann::json claim = AllocatedClaim("2Gi", "16Gi");
  ResultsOf(claim)[0]["consumedCapacity"]["memory"] = 7;
  ExpectRefused(claim, absl::StatusCode::kInvalidArgument,
                "no amount of memory");
}

TEST(ClaimGrantTest, SurvivesItsFile) {
  const ClaimGrant grant = *Read(AllocatedClaim("2Gi", "16Gi"));
  const absl::StatusOr<MemoryClaim> claim =
      ReadMemoryClaim(JsonOf(ClaimOf(grant)));
  ASSERT_TRUE(claim.ok()) << claim.status();
  EXPECT_EQ(claim->owner, "claim 'default/mlp'");
  const absl::StatusOr<ClaimGrant> read = GrantOf(*claim);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->claim.name, "mlp");
  EXPECT_EQ(read->fast_bytes, grant.fast_bytes);
  EXPECT_EQ(read->slow_bytes, grant.slow_bytes);
  EXPECT_EQ(read->devices, grant.devices);
  EXPECT_FALSE(GrantOf({.id = "1-2", .owner = "claim '1-2'"}).ok());
}

}  // namespace
}  // namespace stowage::agent
