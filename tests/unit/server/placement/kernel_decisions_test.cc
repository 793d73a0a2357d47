#include "server/placement/kernel_decisions.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/graph_proto.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns a plan in which tensor k + 1 is born at kernel k.
v1::Plan PlanOfChain(const policies::Graph& graph) {
  v1::Plan plan;
  for (policies::TensorIndex tensor = 1; tensor < graph.tensor_count();
       ++tensor) {
    plan.add_allocations()->set_tensor(tensor);
  }
  return plan;
}

void AddMove(int tensor, int start_kernel, v1::Plan* plan) {
  v1::Move* move = plan->add_moves();
  move->set_tensor(tensor);
  move->set_start_kernel(start_kernel);
}

absl::StatusOr<std::vector<v1::KernelDecision>> Window(
    const KernelDecisions& decisions, int32_t kernel, int32_t window) {
  const absl::StatusOr<absl::string_view> bytes =
      decisions.EncodedWindow(kernel, window);
  if (!bytes.ok()) return bytes.status();
  v1::PlaceResponse response;
  EXPECT_TRUE(response.ParseFromString(std::string(*bytes)));
  return std::vector<v1::KernelDecision>(response.decisions().begin(),
                                         response.decisions().end());
}

std::vector<int> Kernels(
    const absl::StatusOr<std::vector<v1::KernelDecision>>& decisions) {
  std::vector<int> kernels;
  for (const v1::KernelDecision& decision : *decisions) {
    kernels.push_back(decision.kernel());
  }
  return kernels;
}

class KernelDecisionsTest : public ::testing::Test {
 protected:
  const policies::Graph graph_ = *policies::GraphFromProto(ChainGraph(4));
  v1::Plan plan_ = PlanOfChain(graph_);
};

TEST_F(KernelDecisionsTest, AllocatesEachTensorAtItsBirth) {
  const KernelDecisions decisions = *KernelDecisions::Create(graph_, plan_);
  const auto window = Window(decisions, 2, 1);
  ASSERT_EQ(window->size(), 1);
  ASSERT_EQ(window->front().allocations_size(), 1);
  EXPECT_EQ(window->front().allocations(0).tensor(), 3);
}

TEST_F(KernelDecisionsTest, StatesMovesAtTheKernelWhereTheyStart) {
  AddMove(/*tensor=*/0, /*start_kernel=*/1, &plan_);
  const KernelDecisions decisions = *KernelDecisions::Create(graph_, plan_);
  EXPECT_THAT(Window(decisions, 0, 1)->front().moves(), IsEmpty());
  ASSERT_EQ(Window(decisions, 1, 1)->front().moves_size(), 1);
  EXPECT_EQ(Window(decisions, 1, 1)->front().moves(0).tensor(), 0);
}

TEST_F(KernelDecisionsTest, AWindowIsCutOffAtTheEndOfTheStep) {
  const KernelDecisions decisions = *KernelDecisions::Create(graph_, plan_);
  EXPECT_THAT(Kernels(Window(decisions, 1, 2)), ElementsAre(1, 2));
  EXPECT_THAT(Kernels(Window(decisions, 2, 1024)), ElementsAre(2, 3));
}

TEST_F(KernelDecisionsTest, AWindowOfZeroIsOneKernel) {
  const KernelDecisions decisions = *KernelDecisions::Create(graph_, plan_);
  EXPECT_THAT(Kernels(Window(decisions, 1, 0)), ElementsAre(1));
}

TEST_F(KernelDecisionsTest, TheLastKernelBringsTheEndOfTheStep) {
  AddMove(/*tensor=*/0, /*start_kernel=*/4, &plan_);
  const KernelDecisions decisions = *KernelDecisions::Create(graph_, plan_);
  EXPECT_THAT(Kernels(Window(decisions, 3, 1)), ElementsAre(3, 4));
  EXPECT_THAT(Kernels(Window(decisions, 2, 1)), ElementsAre(2));
}

TEST_F(KernelDecisionsTest, KernelsWithNothingToDoAreLeftOut) {
  plan_.clear_allocations();
  AddMove(/*tensor=*/0, /*start_kernel=*/2, &plan_);
  const KernelDecisions decisions = *KernelDecisions::Create(graph_, plan_);
  EXPECT_THAT(Kernels(Window(decisions, 0, 4)), ElementsAre(2));
}

TEST_F(KernelDecisionsTest, RefusesAKernelOutsideTheGraph) {
  const KernelDecisions decisions = *KernelDecisions::Create(graph_, plan_);
  for (int kernel : {-1, 4, 1 << 30}) {
    const absl::Status status = Window(decisions, kernel, 1).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("4 kernels"));
  }
}

TEST_F(KernelDecisionsTest, RefusesAWindowOutsideItsBounds) {
  const KernelDecisions decisions = *KernelDecisions::Create(graph_, plan_);
  EXPECT_TRUE(absl::IsInvalidArgument(Window(decisions, 0, -1).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Window(decisions, 0, 1025).status()));
  EXPECT_TRUE(Window(decisions, 0, 1024).ok());
}

TEST_F(KernelDecisionsTest, ADamagedPlanIsDataLoss) {
  v1::Plan wrong_tensor = plan_;
  wrong_tensor.add_allocations()->set_tensor(99);
  v1::Plan wrong_kernel = plan_;
  AddMove(/*tensor=*/0, /*start_kernel=*/5, &wrong_kernel);
  for (const v1::Plan& plan : {wrong_tensor, wrong_kernel}) {
    EXPECT_EQ(KernelDecisions::Create(graph_, plan).status().code(),
              absl::StatusCode::kDataLoss);
  }
}

}  // namespace
}  // namespace stowage
