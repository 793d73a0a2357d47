// Damaged files: each is refused with a status, or is valid after all and then
// does no harm.
#include <cstdint>
#include <string>
#include <vector>

#include "google/protobuf/stubs/logging.h"
#include "gtest/gtest.h"
#include "policies/bound/lower_bound.h"
#include "policies/deeptm/dqn/dqn_policy.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "policies/model/liveness.h"
#include "policies/model/memory_system_proto.h"
#include "policies/model/presets.h"
#include "policies/plan/plan_proto.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/simulate/plan_usage.h"
#include "policies/simulate/simulator.h"
#include "policies/verify/verifier.h"
#include "tests/fuzz/mutator.h"
#include "tests/unit/policies/deeptm/dqn/untrained.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage {
namespace {

constexpr uint64_t kSeed = 20210423;

struct Tally {
  int refused = 0;
  int accepted = 0;
};

// Feeds `count` damaged copies of `bytes` to `accept`, which returns the status
// that they were refused with.
template <typename Accept>
Tally Feed(const std::string& bytes, int count, Accept accept) {
  const google::protobuf::LogSilencer quiet;
  Mutator mutator(kSeed);
  Tally tally;
  for (int i = 0; i < count; ++i) {
    const absl::Status status = accept(mutator.Damage(bytes));
    ++(status.ok() ? tally.accepted : tally.refused);
    if (!status.ok()) EXPECT_FALSE(status.message().empty());
  }
  return tally;
}

void ExpectPlanThatHolds(const Graph& graph, const MemorySystem& system) {
  const int64_t least = FindLeastLimit(graph, system).bytes;
  const auto plan = (*MakePolicy("lru"))
                        ->MakePlan(graph, system, {.fast_limit_bytes = least});
  // Slower tiers may be too small for it.
  if (!plan.ok()) return;
  EXPECT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus());
}

absl::Status AcceptGraph(const std::string& bytes) {
  const auto proto = ParseGraph(bytes);
  if (!proto.ok()) return proto.status();
  const auto graph = GraphFromProto(*proto);
  if (!graph.ok()) return graph.status();
  EXPECT_EQ(GraphId(*graph).size(), 64);
  EXPECT_GE(ComputeLiveness(*graph).peak_bytes, 0);
  const MemorySystem system = *PresetMemorySystem("file");
  EXPECT_GE(LowerBoundNs(*graph, system, 1 << 20, {.iterations = 1}), 0);
  ExpectPlanThatHolds(*graph, system);
  return absl::OkStatus();
}

std::vector<Encoding> Encodings() {
  return {{WireFormat::kBinary, false},
          {WireFormat::kBinary, true},
          {WireFormat::kJson, false},
          {WireFormat::kJson, true}};
}

TEST(FileMutationsTest, DamagedGraphsAreRefusedOrValid) {
  Tally sum;
  for (const Graph& graph : {WithAlternatives(RandomGraph(5, {8, 12}), 5),
                             TrainingStepGraph(1, 2)}) {
    for (const Encoding& encoding : Encodings()) {
      const Tally tally =
          Feed(Serialize(GraphToProto(graph), encoding), 600, AcceptGraph);
      sum.refused += tally.refused;
      sum.accepted += tally.accepted;
    }
  }
  EXPECT_GT(sum.refused, 1000);
  EXPECT_GT(sum.accepted, 50);
}

TEST(FileMutationsTest, DamagedPlansAreRefusedOrProven) {
  const Graph graph = WithAlternatives(TrainingStepGraph(1, 3), 3);
  const MemorySystem system = *PresetMemorySystem("file");
  const int64_t limit = ComputeLiveness(graph).peak_bytes / 2;
  const auto plan = (*MakePolicy("autotm-sync"))
                        ->MakePlan(graph, system, {.fast_limit_bytes = limit});
  ASSERT_TRUE(plan.ok()) << plan.status();
  int simulated = 0, proven = 0;
  const auto accept = [&](const std::string& bytes) -> absl::Status {
    const auto proto = ParsePlan(bytes);
    if (!proto.ok()) return proto.status();
    const auto damaged = PlanFromProto(*proto);
    if (!damaged.ok()) return damaged.status();
    const auto simulation = Simulate(graph, system, *damaged);
    simulated += simulation.ok();
    const absl::Status verdict = VerifyPlan(graph, system, *damaged);
    if (!verdict.ok()) return verdict;
    ++proven;
    EXPECT_TRUE(simulation.ok()) << simulation.status();
    EXPECT_GE(MeasurePlanUsage(graph, system, *damaged).peak_bytes[0], 0);
    return absl::OkStatus();
  };
  for (const Encoding& encoding : Encodings()) {
    Feed(Serialize(PlanToProto(*plan), encoding), 800, accept);
  }
  EXPECT_GT(simulated, proven);
  EXPECT_GT(proven, 20);
}

TEST(FileMutationsTest, DamagedMemorySystemsAreRefusedOrPlannedFor) {
  const Graph graph = TrainingStepGraph(1, 4);
  const auto accept = [&](const std::string& bytes) -> absl::Status {
    const auto proto = ParseMemorySystem(bytes);
    if (!proto.ok()) return proto.status();
    const auto system = MemorySystemFromProto(*proto);
    if (!system.ok()) return system.status();
    ExpectPlanThatHolds(graph, *system);
    return absl::OkStatus();
  };
  for (const char* preset : {"g10-a100", "optane"}) {
    const v1::MemorySystem proto =
        MemorySystemToProto(*PresetMemorySystem(preset));
    for (const Encoding& encoding : Encodings()) {
      EXPECT_GT(Feed(Serialize(proto, encoding), 200, accept).refused, 50);
    }
  }
}

TEST(FileMutationsTest, DamagedDqnPoliciesAreRefusedOrWhole) {
  const Graph graph = TrainingStepGraph(1, 5);
  const MemorySystem system = *PresetMemorySystem("optane");
  const std::string bytes =
      EncodeDqnPolicy(UntrainedPolicy(graph, system, 1 << 20));
  const auto accept = [&](const std::string& damaged) -> absl::Status {
    const auto policy = DecodeDqnPolicy(damaged);
    if (!policy.ok()) return policy.status();
    EXPECT_EQ(CheckDqnPolicy(*policy), absl::OkStatus());
    return CheckTrainedFor(*policy, graph, system);
  };
  EXPECT_GT(Feed(bytes, 500, accept).refused, 400);
  // Most of a file is weights; what stands before them is damaged here.
  const google::protobuf::LogSilencer quiet;
  Mutator mutator(kSeed);
  for (int i = 0; i < 500; ++i) {
    accept(mutator.Damage(bytes.substr(0, 256)) + bytes.substr(256))
        .IgnoreError();
  }
}

}  // namespace
}  // namespace stowage
