#include "agents/claims/memory_claim.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

using testing::HasSubstr;

const MemoryClaim kClaim{.id = "slurm-17",
                         .owner = "claim 'slurm-17'",
                         .fast_bytes = 8,
                         .slow_bytes = 64,
                         .user = 1000,
                         .details = {{"node", "n1"}}};

TEST(MemoryClaimTest, SurvivesItsFile) {
  const absl::StatusOr<MemoryClaim> read = ReadMemoryClaim(JsonOf(kClaim));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->id, kClaim.id);
  EXPECT_EQ(read->owner, kClaim.owner);
  EXPECT_EQ(read->fast_bytes, kClaim.fast_bytes);
  EXPECT_EQ(read->slow_bytes, kClaim.slow_bytes);
  EXPECT_EQ(read->user, kClaim.user);
  EXPECT_EQ(read->details["node"], "n1");
}

TEST(MemoryClaimTest, ReadsWhatAnAgentBeforeWroteOfAPod) {
  const absl::StatusOr<MemoryClaim> read =
      ReadMemoryClaim({{"namespace", "default"},
                       {"name", "mlp"},
                       {"uid", "1-2"},
                       {"fastBytes", 8},
                       {"slowBytes", 64}});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->user, std::nullopt);
  EXPECT_EQ(read->owner, "claim '1-2'");
}

TEST(MemoryClaimTest, RefusesAFileThatIsNoClaim) {
  EXPECT_FALSE(ReadMemoryClaim(nullptr).ok());
  EXPECT_FALSE(ReadMemoryClaim("slurm-17").ok());
  for (const auto& [field, value] :
       {std::pair<const char*, nlohmann::json>{"uid", "../x"},
        {"uid", 17},
        {"fastBytes", 0},
        {"slowBytes", -1},
        {"user", "root"},
        {"user", -1},
        {"user", 4294967295u},
        {"user", uint64_t{1} << 32}}) {
    nlohmann::json json = JsonOf(kClaim);
    json[field] = value;
    EXPECT_FALSE(ReadMemoryClaim(json).ok()) << json;
  }
}

TEST(MemoryClaimTest, TakesIdsThatAreNamesOfFiles) {
  for (const std::string& id : {std::string("slurm-17"), std::string("a.b_C-9"),
                                std::string(64, 'x'), std::string("json")}) {
    EXPECT_TRUE(CheckClaimId(id).ok()) << id;
  }
}

TEST(MemoryClaimTest, RefusesIdsThatNameOtherFiles) {
  for (const std::string& id :
       {std::string(), std::string("."), std::string(".."), std::string(".x"),
        std::string("a/b"), std::string("a b"), std::string("a\0b", 3),
        std::string("a\n"), std::string("a.json"), std::string("a.json.b"),
        std::string(65, 'x')}) {
    EXPECT_THAT(CheckClaimId(id).message(), HasSubstr("is no name of a claim"))
        << id;
  }
}

}  // namespace
}  // namespace stowage::agent
