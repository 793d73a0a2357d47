#include "policies/plan/plan_proto.h"

#include <functional>
#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/registry.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

using ::testing::HasSubstr;

v1::Plan SomePlan() {
  const Graph graph = TrainingStepGraph(6, 1);
  const int64_t limit = ComputeLiveness(graph).peak_bytes / 2;
  return PlanToProto(*(*MakePolicy("lru"))
                          ->MakePlan(graph, *PresetMemorySystem("file"),
                                     {.fast_limit_bytes = limit}));
}

TEST(PlanProtoTest, SurvivesARoundTrip) {
  v1::Plan proto = SomePlan();
  proto.add_notes("stopped at its time limit");
  proto.set_solver_gap(0.5);
  v1::ImplementationChoice& choice = *proto.add_implementations();
  choice.set_kernel(3);
  choice.set_implementation(2);
  ASSERT_GT(proto.moves_size(), 0);
  const absl::StatusOr<Plan> plan = PlanFromProto(proto);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(
      proto, PlanToProto(*plan)));
}

TEST(PlanProtoTest, SaysWhichMovesKeepTheirSourceAndWhichAreDrops) {
  v1::Plan proto = SomePlan();
  ASSERT_GT(proto.moves_size(), 2);
  proto.mutable_moves(0)->set_keeps_source(true);
  proto.mutable_moves(1)->set_is_drop(true);
  const absl::StatusOr<Plan> plan = PlanFromProto(proto);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_TRUE(plan->moves[0].keeps_source);
  EXPECT_FALSE(plan->moves[0].is_drop);
  EXPECT_FALSE(plan->moves[1].keeps_source);
  EXPECT_TRUE(plan->moves[1].is_drop);
  EXPECT_FALSE(plan->moves[2].keeps_source || plan->moves[2].is_drop);
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(
      proto, PlanToProto(*plan)));
}

struct BadPlanProto {
  std::string what;
  std::function<void(v1::Plan&)> damage;
  std::string message;
};

class BadPlanProtoTest : public testing::TestWithParam<BadPlanProto> {};

TEST_P(BadPlanProtoTest, IsRefusedWithThePlace) {
  v1::Plan proto = SomePlan();
  GetParam().damage(proto);
  const absl::Status status = PlanFromProto(proto).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadPlanProtoTest,
    testing::Values(
        BadPlanProto{"schema", [](auto& p) { p.set_schema_version(0); },
                     "schema_version is 0"},
        BadPlanProto{"implementation",
                     [](auto& p) { p.add_implementations()->set_kernel(1); },
                     "implementations[0].implementation is 0"},
        BadPlanProto{"graphid", [](auto& p) { p.set_graph_id("ab"); },
                     "graph_id has 2 characters"},
        BadPlanProto{"limit", [](auto& p) { p.set_fast_limit_bytes(-1); },
                     "fast_limit_bytes is -1"},
        BadPlanProto{"window",
                     [](auto& p) { p.add_streams()->set_window_bytes(-1); },
                     "streams[0].window_bytes is -1"},
        BadPlanProto{"gap", [](auto& p) { p.set_solver_gap(-0.5); },
                     "solver_gap is -0.5"},
        BadPlanProto{"tensor",
                     [](auto& p) { p.mutable_initial(0)->set_tensor(-2); },
                     "initial[0].tensor is -2"},
        BadPlanProto{"tier",
                     [](auto& p) {
                       p.mutable_allocations(1)->mutable_at()->set_tier(-1);
                     },
                     "allocations[1].at.tier is -1"},
        BadPlanProto{"offset",
                     [](auto& p) {
                       p.mutable_moves(0)->mutable_to()->set_offset_bytes(100);
                     },
                     "moves[0].to.offset_bytes is 100"},
        BadPlanProto{"deadline",
                     [](auto& p) {
                       p.mutable_moves(1)->set_start_kernel(9);
                       p.mutable_moves(1)->set_deadline_kernel(8);
                     },
                     "moves[1].deadline_kernel is 8"},
        BadPlanProto{"stream", [](auto& p) { p.add_streams()->set_kernel(-3); },
                     "streams[0].kernel is -3"},
        BadPlanProto{"locality",
                     [](auto& p) { p.mutable_prediction()->set_locality(1.5); },
                     "prediction.locality is 1.5"}),
    [](const auto& info) { return info.param.what; });

}  // namespace
}  // namespace stowage::policies
