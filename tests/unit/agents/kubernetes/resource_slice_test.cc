#include "agents/kubernetes/resource_slice.h"

#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

NodeMemory Memory(int64_t fast_bytes) {
  return {.fast = {.bytes = fast_bytes, .medium = "dram"},
          .slow = {.bytes = int64_t{64} << 30,
                   .medium = "file",
                   .read_bytes_per_second = 2'000'000'000,
                   .write_bytes_per_second = 1'000'000'000}};
}

nlohmann::json Slice(int64_t generation = 1) {
  return SliceOf(Memory(int64_t{8} << 30), {.node = "node1", .node_uid = "5"},
                 generation);
}

TEST(ResourceSliceTest, OffersBothTiersByTheByte) {
  const nlohmann::json slice = Slice(3);
  EXPECT_EQ(slice["spec"]["driver"], "memory.stowage.dev");
  EXPECT_EQ(slice["spec"]["pool"], nlohmann::json({{"name", "node1"},
                                                   {"generation", 3},
                                                   {"resourceSliceCount", 1}}));
  const nlohmann::json& devices = slice["spec"]["devices"];
  ASSERT_EQ(devices.size(), 2);
  EXPECT_EQ(devices[0]["name"], "fast");
  EXPECT_EQ(devices[0]["capacity"]["memory"]["value"], "8Gi");
  EXPECT_EQ(devices[1]["name"], "slow");
  EXPECT_EQ(devices[1]["attributes"]["medium"]["string"], "file");
  EXPECT_EQ(devices[1]["attributes"]["readBytesPerSecond"]["int"],
            2'000'000'000);
  for (const nlohmann::json& device : devices) {
    EXPECT_EQ(device["allowMultipleAllocations"], true);
    EXPECT_EQ(device["attributes"]["tier"]["string"], device["name"]);
    EXPECT_EQ(
        device["capacity"]["memory"]["requestPolicy"]["validRange"]["min"],
        "1Mi");
  }
}

TEST(ResourceSliceTest, BelongsToTheNode) {
  const nlohmann::json slice = Slice();
  const nlohmann::json& owner = slice["metadata"]["ownerReferences"][0];
  EXPECT_EQ(owner["kind"], "Node");
  EXPECT_EQ(owner["uid"], "5");
}

TEST(ResourceSliceTest, TellsTheSameWhateverTheServerAdds) {
  nlohmann::json stored = Slice(7);
  stored["metadata"]["uid"] = "9";
  stored["metadata"]["resourceVersion"] = "100";
  EXPECT_TRUE(TellsTheSame(stored, Slice()));
}

TEST(ResourceSliceTest, TellsOtherMemoryOwnersAndPoolsApart) {
  EXPECT_FALSE(TellsTheSame(
      SliceOf(Memory(int64_t{4} << 30), {.node = "node1", .node_uid = "5"}, 1),
      Slice()));
  nlohmann::json other = Slice();
  other["metadata"]["ownerReferences"][0]["uid"] = "6";
  EXPECT_FALSE(TellsTheSame(other, Slice()));
  other = Slice();
  other["spec"]["pool"]["resourceSliceCount"] = 2;
  EXPECT_FALSE(TellsTheSame(other, Slice()));
  EXPECT_FALSE(TellsTheSame(nullptr, Slice()));
}

TEST(ResourceSliceTest, KnowsWhatAClusterWithoutSharingKeeps) {
  nlohmann::json kept = Slice();
  for (nlohmann::json& device : kept["spec"]["devices"]) {
    device.erase("allowMultipleAllocations");
    device["capacity"]["memory"].erase("requestPolicy");
  }
  EXPECT_FALSE(TellsTheSame(kept, Slice()));
  EXPECT_TRUE(TellsTheSame(kept, WithoutSharing(Slice())));
}

}  // namespace
}  // namespace stowage::agent
