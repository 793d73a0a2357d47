// Damages files. Each is refused with a status, or is valid after all and then
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
// with which they were refused.
template <typename Accept>
Tally Feed(const std::string& bytes, int count, Accept accept) {
  const google::protobuf::LogSilencer quiet;
  Mutator mutator(kSeed);
  Tally tally;
  for (int i = 0; i < count; ++i) {
    const absl::Status status = accept(mutator.Damage(bytes));
    ++(status.ok() ? tally.accepted : tally.refused);
    if (!status.ok()) {
      EXPECT_FALSE(status.message().empty());
    }
  }
  return tally;
}

void ExpectPlanThatHolds(const policies::Graph& graph,
                         const policies::MemorySystem& system) {
  const int64_t least = policies::FindLeastLimit(graph, system).bytes;
  const auto plan = (*policies::MakePolicy("lru"))
                        ->MakePlan(graph, system, {.fast_limit_bytes = least});
  // Slower tiers may be too small for it.
  if (!plan.ok()) return;
  EXPECT_EQ(policies::VerifyPlan(graph, system, *plan), absl::OkStatus());
}

absl::Status AcceptGraph(const std::string& bytes) {
  const auto proto = policies::ParseGraph(bytes);
  if (!proto.ok()) return proto.status();
  const auto graph = policies::GraphFromProto(*proto);
  if (!graph.ok()) return graph.status();
  EXPECT_EQ(policies::GraphId(*graph).size(), 64);
  EXPECT_GE(policies::ComputeLiveness(*graph).peak_bytes, 0);
  const policies::MemorySystem system = *policies::PresetMemorySystem("file");
  EXPECT_GE(policies::LowerBoundNs(*graph, system, 1 << 20, {.iterations = 1}),
            0);
  ExpectPlanThatHolds(*graph, system);
  return absl::OkStatus();
}

std::vector<policies::Encoding> Encodings() {
  return {{policies::WireFormat::kBinary, false},
          {policies::WireFormat::kBinary, true},
          {policies::WireFormat::kJson, false},
          {policies::WireFormat::kJson, true}};
}

TEST(FileMutationsTest, DamagedGraphsAreRefusedOrValid) {
  Tally sum;
  for (const policies::Graph& graph :
       {policies::WithAlternatives(policies::RandomGraph(5, {8, 12}), 5),
        policies::TrainingStepGraph(1, 2)}) {
    for (const policies::Encoding& encoding : Encodings()) {
      const Tally tally =
          Feed(policies::Serialize(policies::GraphToProto(graph), encoding),
               600, AcceptGraph);
      sum.refused += tally.refused;
      sum.accepted += tally.accepted;
    }
  }
  EXPECT_GT(sum.refused, 1000);
  EXPECT_GT(sum.accepted, 50);
}

TEST(FileMutationsTest, DamagedPlansAreRefusedOrProven) {
  const policies::Graph graph =
      policies::WithAlternatives(policies::TrainingStepGraph(1, 3), 3);
  const policies::MemorySystem system = *policies::PresetMemorySystem("file");
  const int64_t limit = policies::ComputeLiveness(graph).peak_bytes / 2;
  const auto plan = (*policies::MakePolicy("autotm-sync"))
                        ->MakePlan(graph, system, {.fast_limit_bytes = limit});
  ASSERT_TRUE(plan.ok()) << plan.status();
  int simulated = 0, proven = 0;
  const auto accept = [&](const std::string& bytes) -> absl::Status {
    const auto proto = policies::ParsePlan(bytes);
    if (!proto.ok()) return proto.status();
    const auto damaged = policies::PlanFromProto(*proto);
    if (!damaged.ok()) return damaged.status();
    const auto simulation = policies::Simulate(graph, system, *damaged);
    simulated += simulation.ok();
    absl::Status verdict = policies::VerifyPlan(graph, system, *damaged);
    if (!verdict.ok()) return verdict;
    ++proven;
    EXPECT_TRUE(simulation.ok()) << simulation.status();
    EXPECT_GE(policies::MeasurePlanUsage(graph, system, *damaged).peak_bytes[0],
              0);
    return absl::OkStatus();
  };
  for (const policies::Encoding& encoding : Encodings()) {
    Feed(policies::Serialize(policies::PlanToProto(*plan), encoding), 800,
         accept);
  }
  EXPECT_GT(simulated, proven);
  EXPECT_GT(proven, 20);
}

TEST(FileMutationsTest, DamagedMemorySystemsAreRefusedOrPlannedFor) {
  const policies::Graph graph = policies::TrainingStepGraph(1, 4);
  const auto accept = [&](const std::string& bytes) -> absl::Status {
    const auto proto = policies::ParseMemorySystem(bytes);
    if (!proto.ok()) return proto.status();
    const auto system = policies::MemorySystemFromProto(*proto);
    if (!system.ok()) return system.status();
    ExpectPlanThatHolds(graph, *system);
    return absl::OkStatus();
  };
  for (const char* preset : {"g10-a100", "optane"}) {
    const v1::MemorySystem proto =
        policies::MemorySystemToProto(*policies::PresetMemorySystem(preset));
    for (const policies::Encoding& encoding : Encodings()) {
      EXPECT_GT(Feed(policies::Serialize(proto, encoding), 200, accept).refused,
                50);
    }
  }
}

TEST(FileMutationsTest, DamagedDqnPoliciesAreRefusedOrWhole) {
  const policies::Graph graph = policies::TrainingStepGraph(1, 5);
  const policies::MemorySystem system = *policies::PresetMemorySystem("optane");
  const std::string bytes = policies::EncodeDqnPolicy(
      policies::UntrainedPolicy(graph, system, 1 << 20));
  const auto accept = [&](const std::string& damaged) -> absl::Status {
    const auto policy = policies::DecodeDqnPolicy(damaged);
    if (!policy.ok()) return policy.status();
    EXPECT_EQ(policies::CheckDqnPolicy(*policy), absl::OkStatus());
    return policies::CheckTrainedFor(*policy, graph, system);
  };
  EXPECT_GT(Feed(bytes, 500, accept).refused, 400);
  // Most of a file is weights; the bytes before them are damaged here.
  const google::protobuf::LogSilencer quiet;
  Mutator mutator(kSeed);
  for (int i = 0; i < 500; ++i) {
    accept(mutator.Damage(bytes.substr(0, 256)) + bytes.substr(256))
        .IgnoreError();
  }
}

}  // namespace
}  // namespace stowage
