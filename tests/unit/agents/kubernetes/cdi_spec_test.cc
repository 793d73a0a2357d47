#include "agents/kubernetes/cdi_spec.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

using testing::Contains;
using testing::UnorderedElementsAre;

nlohmann::json Spec(const std::string& claim = "mlp") {
  return CdiSpecOf(
      {.claim = {.name = claim, .uid = "1-2"}},
      {.socket_dir = "/run/stowage/claims/1-2", .sdk_dir = "/opt/stowage"});
}

TEST(CdiSpecTest, IsOneDeviceOfTheClaim) {
  const nlohmann::json spec = Spec();
  EXPECT_EQ(spec["kind"], "memory.stowage.dev/claim");
  ASSERT_EQ(spec["devices"].size(), 1);
  EXPECT_EQ(spec["devices"][0]["name"], "1-2");
  EXPECT_EQ(CdiDeviceOf("1-2"), "memory.stowage.dev/claim=1-2");
  EXPECT_EQ(CdiFileOf("1-2"), "memory.stowage.dev-claim_1-2.json");
}

TEST(CdiSpecTest, MountsSocketAndLibrariesReadOnly) {
  const nlohmann::json spec = Spec();
  const nlohmann::json& mounts = spec["devices"][0]["containerEdits"]["mounts"];
  ASSERT_EQ(mounts.size(), 2);
  EXPECT_EQ(mounts[0]["hostPath"], "/run/stowage/claims/1-2");
  EXPECT_EQ(mounts[0]["containerPath"], "/run/stowage/claim");
  EXPECT_EQ(mounts[1]["hostPath"], "/opt/stowage");
  EXPECT_EQ(mounts[1]["containerPath"], "/run/stowage/sdk");
  for (const nlohmann::json& mount : mounts) {
    EXPECT_THAT(mount["options"].get<std::vector<std::string>>(),
                Contains("ro"));
  }
}

TEST(CdiSpecTest, MakesProcessesJobsAndLeavesTheRestToThePod) {
  EXPECT_THAT(
      Spec()["devices"][0]["containerEdits"]["env"]
          .get<std::vector<std::string>>(),
      UnorderedElementsAre(
          "LD_PRELOAD=/run/stowage/sdk/lib/libstowage_preload.so",
          "STOWAGE_PLUGIN=/run/stowage/sdk/lib/libstowage_torch.so",
          "STOWAGE_PYTHON=/run/stowage/sdk/share/stowage/python",
          "STOWAGE_AGENT=/run/stowage/claim/agent.sock", "STOWAGE_RUN_ID=mlp"));
}

TEST(CdiSpecTest, CutsALongNameToARunId) {
  EXPECT_THAT(Spec(std::string(253, 'a'))["devices"][0]["containerEdits"]["env"]
                  .get<std::vector<std::string>>(),
              Contains("STOWAGE_RUN_ID=" + std::string(63, 'a')));
}

}  // namespace
}  // namespace stowage::agent
