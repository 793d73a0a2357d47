#include "server/placement/job_situation.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/graph_proto.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

constexpr int kKernels = 8;
constexpr policies::TierIndex kTiers = 2;

class JobSituationTest : public ::testing::Test {
 protected:
  static JobSituation With(policies::KernelIndex kernel, int tensor, int tier) {
    JobSituation situation = {.kernel = kernel};
    v1::Resident& resident = situation.residents.emplace_back();
    resident.set_tensor(tensor);
    resident.set_tier(tier);
    return situation;
  }

  absl::Status Check(const JobSituation& situation) const {
    return CheckSituation(situation, kKernels, graph_.tensors, kTiers);
  }

  const policies::Graph graph_ =
      *policies::GraphFromProto(ChainGraph(kKernels));
};

// Kernel k reads tensor k and writes tensor k + 1; tensor 0 are the weights.
TEST_F(JobSituationTest, TakesWhatIsAlive) {
  EXPECT_TRUE(Check({.kernel = kKernels - 1}).ok());
  for (const JobSituation& situation :
       {With(4, 0, 1), With(4, 4, 0), With(4, 5, 1)}) {
    EXPECT_TRUE(Check(situation).ok());
  }
  EXPECT_TRUE(Check({.kernel = 0, .free_bytes = {0, 1}}).ok());
}

TEST_F(JobSituationTest, RefusesWhatThereIsNotByName) {
  const std::vector<std::pair<JobSituation, std::string>> cases = {
      {{.kernel = -1}, "kernel is -1"},
      {{.kernel = kKernels}, "kernel is 8"},
      {With(0, -1, 0), "resident tensor -1"},
      {With(0, 99, 0), "resident tensor 99"},
      {With(4, 4, -1), "in tier -1"},
      {With(4, 4, 2), "in tier 2"},
      {With(4, 7, 0), "tensor 7 is not alive at kernel 4"},
      {{.kernel = 0, .free_bytes = {1, -1}}, "free_bytes has -1"},
      {{.kernel = 0, .free_bytes = {1, 1, 1}}, "free_bytes has 3 entries"},
  };
  for (const auto& [situation, message] : cases) {
    const absl::Status status = Check(situation);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << message;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  }
}

}  // namespace
}  // namespace stowage
