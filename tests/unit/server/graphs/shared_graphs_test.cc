#include "server/graphs/shared_graphs.h"

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

class SharedGraphsTest : public ::testing::Test {
 protected:
  // Returns the id.
  std::string Register(const v1::Graph& proto) {
    const v1::GraphSummary summary =
        Summarize(*policies::GraphFromProto(proto));
    EXPECT_TRUE(store_->PutGraph(summary, proto, "").ok());
    return summary.graph_id();
  }

  const std::unique_ptr<GraphStore> store_ =
      std::make_unique<GraphStore>(*OpenDatabase(":memory:"));
  SharedGraphs graphs_{store_.get()};
};

TEST_F(SharedGraphsTest, UsersAtTheSameTimeShareOne) {
  const std::string id = Register(ChainGraph(3));
  const auto first = graphs_.Load(id);
  const auto second = graphs_.Load(id);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->get(), second->get());
  EXPECT_EQ((*first)->kernel_count(), 3);
}

TEST_F(SharedGraphsTest, GoWithTheirLastUser) {
  const std::string id = Register(ChainGraph(3));
  std::weak_ptr<const policies::Graph> weak = *graphs_.Load(id);
  EXPECT_TRUE(weak.expired());
}

TEST_F(SharedGraphsTest, ANewProfileIsAnotherGraph) {
  v1::Graph proto = ChainGraph(3);
  const std::string id = Register(proto);
  const std::shared_ptr<const policies::Graph> before = *graphs_.Load(id);
  proto.mutable_kernels(0)->set_gap_ns(7);
  ASSERT_EQ(Register(proto), id);
  const std::shared_ptr<const policies::Graph> after = *graphs_.Load(id);
  EXPECT_EQ(before->kernels[0].gap_ns, 0);
  EXPECT_EQ(after->kernels[0].gap_ns, 7);
}

TEST_F(SharedGraphsTest, WhatIsNotThereIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(graphs_.Load("none").status()));
}

}  // namespace
}  // namespace stowage
