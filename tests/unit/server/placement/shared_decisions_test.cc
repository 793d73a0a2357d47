#include "server/placement/shared_decisions.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "policies/model/graph_proto.h"
#include "server/graphs/graph_store.h"
#include "server/graphs/graph_summary.h"
#include "server/storage/open_database.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

class SharedDecisionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const v1::Graph proto = ChainGraph(4);
    const v1::GraphSummary summary =
        Summarize(*policies::GraphFromProto(proto));
    ASSERT_TRUE(store_->PutGraph(summary, proto, "").ok());
    plan_.set_graph_id(summary.graph_id());
    plan_.add_allocations()->set_tensor(1);
    ASSERT_TRUE(store_->PutPlan("p", plan_).ok());
  }

  const std::unique_ptr<GraphStore> store_ =
      std::make_unique<GraphStore>(*OpenDatabase(":memory:"));
  SharedGraphs graphs_{store_.get()};
  SharedDecisions decisions_{store_.get(), &graphs_};
  v1::Plan plan_;
};

TEST_F(SharedDecisionsTest, UsersAtTheSameTimeShareThem) {
  const auto first = decisions_.Load("p");
  const auto second = decisions_.Load("p");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->get(), second->get());
}

TEST_F(SharedDecisionsTest, APlanThatIsReplacedIsReadAnew) {
  const auto before = decisions_.Load("p");
  plan_.add_allocations()->set_tensor(2);
  ASSERT_TRUE(store_->PutPlan("p", plan_).ok());
  const auto after = decisions_.Load("p");
  EXPECT_NE(before->get(), after->get());
  decisions_.Forget("p");
  EXPECT_NE(after->get(), decisions_.Load("p")->get());
}

TEST_F(SharedDecisionsTest, APlanThatIsGoneIsNotFoundThoughItIsUsed) {
  const auto used = decisions_.Load("p");
  ASSERT_TRUE(store_->DeleteGraph(plan_.graph_id()).ok());
  EXPECT_TRUE(absl::IsNotFound(decisions_.Load("p").status()));
}

}  // namespace
}  // namespace stowage
