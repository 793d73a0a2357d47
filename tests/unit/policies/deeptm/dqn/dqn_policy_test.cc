#include "policies/deeptm/dqn/dqn_policy.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/deeptm/dqn/untrained.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::HasSubstr;

DqnPolicy SomePolicy() {
  DqnPolicy policy = UntrainedPolicy(TrainingStepGraph(2, 1),
                                     *PresetMemorySystem("optane"), 64 * kMiB);
  policy.settings.cost_priority = 0.25;
  policy.settings.value_bound = 5;
  policy.settings.migration = MigrationMode::kSynchronous;
  policy.episodes_done = 7;
  policy.step_time_ns = 123;
  return policy;
}

TEST(DqnPolicyTest, SurvivesEncodingAndDecoding) {
  const DqnPolicy policy = SomePolicy();
  const auto decoded = DecodeDqnPolicy(EncodeDqnPolicy(policy));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->graph_id, policy.graph_id);
  EXPECT_EQ(decoded->system_digest, policy.system_digest);
  EXPECT_EQ(decoded->settings, policy.settings);
  EXPECT_EQ(decoded->episodes_done, 7);
  EXPECT_EQ(decoded->weights, policy.weights);
  EXPECT_EQ(EncodeDqnPolicy(*decoded), EncodeDqnPolicy(policy));
}

TEST(DqnPolicyTest, SurvivesEncodingAndDecodingWithoutWeights) {
  DqnPolicy policy = SomePolicy();
  policy.fits = true;
  policy.weights = PackWeights({});
  const auto decoded = DecodeDqnPolicy(EncodeDqnPolicy(policy));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_TRUE(decoded->fits);
  EXPECT_EQ(decoded->weights, "");
  EXPECT_TRUE(UnpackWeights(decoded->weights).empty());
}

TEST(DqnPolicyTest, RejectsTornBytes) {
  const std::string bytes = EncodeDqnPolicy(SomePolicy());
  for (size_t size = 0; size < bytes.size(); size += 97) {
    EXPECT_EQ(DecodeDqnPolicy(bytes.substr(0, size)).status().code(),
              absl::StatusCode::kInvalidArgument)
        << size << " bytes";
  }
}

TEST(DqnPolicyTest, RejectsTamperedBytesAnywhere) {
  const std::string bytes = EncodeDqnPolicy(SomePolicy());
  for (size_t at = 0; at < bytes.size(); at += 61) {
    std::string tampered = bytes;
    tampered[at] ^= 0x20;
    EXPECT_FALSE(DecodeDqnPolicy(tampered).ok()) << "byte " << at;
  }
}

TEST(DqnPolicyTest, RejectsWeightsOfAnotherLayout) {
  DqnPolicy policy = SomePolicy();
  policy.weights_layout = kDqnWeightsLayout + 1;
  const auto decoded = DecodeDqnPolicy(EncodeDqnPolicy(policy));
  EXPECT_THAT(std::string(decoded.status().message()), HasSubstr("layout"));
}

TEST(DqnPolicyTest, RejectsWeightsThatAreNotNumbersOrTooFew) {
  DqnPolicy policy = SomePolicy();
  std::vector<float> weights = UnpackWeights(policy.weights);
  weights[17] = std::numeric_limits<float>::quiet_NaN();
  policy.weights = PackWeights(weights);
  EXPECT_THAT(
      std::string(DecodeDqnPolicy(EncodeDqnPolicy(policy)).status().message()),
      HasSubstr("weight 17"));
  policy.weights.resize(policy.weights.size() - 4);
  EXPECT_THAT(
      std::string(DecodeDqnPolicy(EncodeDqnPolicy(policy)).status().message()),
      HasSubstr("bytes of weights"));
}

TEST(DqnPolicyTest, IsForOneGraphAndOneMemorySystem) {
  const Graph graph = TrainingStepGraph(2, 1);
  MemorySystem system = *PresetMemorySystem("optane");
  const DqnPolicy policy = SomePolicy();
  EXPECT_TRUE(CheckTrainedFor(policy, graph, system).ok());
  EXPECT_EQ(CheckTrainedFor(policy, TrainingStepGraph(3, 1), system).code(),
            absl::StatusCode::kFailedPrecondition);
  system.description = "the same machine in other words";
  EXPECT_TRUE(CheckTrainedFor(policy, graph, system).ok());
  system.tiers[1].write.back().bytes_per_second += 1;
  EXPECT_EQ(CheckTrainedFor(policy, graph, system).code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace stowage::policies
