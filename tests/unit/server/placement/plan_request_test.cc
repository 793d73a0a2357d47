#include "server/placement/plan_request.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "policies/model/memory_system_proto.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

PlanRequest Request() {
  return {.graph_id = "a",
          .system = *policies::MemorySystemFromProto(TwoTiers()),
          .fast_limit_bytes = 100,
          .policy = "belady",
          .seed = 1};
}

TEST(PlanIdTest, IsTheSameForTheSameRequest) {
  EXPECT_EQ(PlanId(Request()), PlanId(Request()));
  EXPECT_EQ(PlanId(Request()).size(), 64);
}

TEST(PlanIdTest, DependsOnEveryField) {
  std::set<std::string> ids = {PlanId(Request())};
  PlanRequest request = Request();
  request.graph_id = "b";
  ids.insert(PlanId(request));
  request = Request();
  request.system.tiers[1].read[0].bytes_per_second += 1;
  ids.insert(PlanId(request));
  request = Request();
  request.fast_limit_bytes = 101;
  ids.insert(PlanId(request));
  request = Request();
  request.policy = "lru";
  ids.insert(PlanId(request));
  request = Request();
  request.seed = 2;
  ids.insert(PlanId(request));
  EXPECT_EQ(ids.size(), 6);
}

}  // namespace
}  // namespace stowage
