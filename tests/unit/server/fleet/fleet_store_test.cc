#include "server/fleet/fleet_store.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/unit/server/storage/databases.h"

namespace stowage {
namespace {

v1::StoredNode Node(const std::string& name, int64_t last_heartbeat_ns = 1) {
  v1::StoredNode node;
  node.set_node(name);
  node.set_last_heartbeat_ns(last_heartbeat_ns);
  return node;
}

v1::StoredJob Job(const std::string& id, int64_t last_step = 0) {
  v1::StoredJob job;
  job.mutable_job()->set_job_id(id);
  job.set_last_step(last_step);
  return job;
}

class FleetStoreTest : public EachDatabaseTest {
 protected:
  FleetStore store_{database_};
};

TEST_P(FleetStoreTest, ReturnsWhatIsNewToEachReader) {
  FleetCursor first;
  ASSERT_TRUE(store_.Put({.nodes = {Node("a")}, .jobs = {Job("j")}}).ok());
  EXPECT_EQ(store_.ReadSince(&first)->nodes.size(), 1);
  EXPECT_TRUE(store_.ReadSince(&first)->empty());
  ASSERT_TRUE(store_.Put({.nodes = {}, .jobs = {Job("j", 5), Job("k")}}).ok());
  EXPECT_EQ(store_.ReadSince(&first)->jobs.size(), 2);
  FleetCursor second;
  const FleetNews all = *store_.ReadSince(&second);
  EXPECT_EQ(all.nodes.size(), 1);
  EXPECT_EQ(all.jobs.size(), 2);
}

TEST_P(FleetStoreTest, MergesWithWhatOthersHaveStored) {
  ASSERT_TRUE(
      store_.Put({.nodes = {Node("a", 7)}, .jobs = {Job("j", 9)}}).ok());
  ASSERT_TRUE(
      store_.Put({.nodes = {Node("a", 3)}, .jobs = {Job("j", 4)}}).ok());
  FleetCursor cursor;
  const FleetNews all = *store_.ReadSince(&cursor);
  EXPECT_EQ(all.nodes.at(0).last_heartbeat_ns(), 7);
  EXPECT_EQ(all.jobs.at(0).last_step(), 9);
}

TEST_P(FleetStoreTest, StoresThousandsAtATime) {
  FleetNews news;
  for (int i = 0; i < 1201; ++i) news.jobs.push_back(Job(absl::StrCat("j", i)));
  ASSERT_TRUE(store_.Put(news).ok());
  FleetCursor cursor;
  EXPECT_EQ(store_.ReadSince(&cursor)->jobs.size(), 1201);
}

TEST_P(FleetStoreTest, ForgetsById) {
  ASSERT_TRUE(
      store_.Put({.nodes = {Node("a"), Node("b")}, .jobs = {Job("j")}}).ok());
  ASSERT_TRUE(store_.Forget({"a"}, {"j", "none"}).ok());
  FleetCursor cursor;
  const FleetNews rest = *store_.ReadSince(&cursor);
  ASSERT_EQ(rest.nodes.size(), 1);
  EXPECT_EQ(rest.nodes[0].node(), "b");
  EXPECT_TRUE(rest.jobs.empty());
}

STOWAGE_FOR_EACH_DATABASE(FleetStoreTest);

}  // namespace
}  // namespace stowage
