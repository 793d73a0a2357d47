// Reads files of plans, and verifies and simulates what is in them.
#include <cstddef>
#include <cstdint>

#include "google/protobuf/stubs/logging.h"
#include "policies/model/codec.h"
#include "policies/model/presets.h"
#include "policies/plan/plan_proto.h"
#include "policies/simulate/plan_usage.h"
#include "policies/simulate/simulator.h"
#include "policies/verify/verifier.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/require.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage {
namespace {

void CheckPlan(const policies::Plan& plan) {
  static const policies::Graph graph =
      policies::WithAlternatives(policies::TrainingStepGraph(1, 3), 3);
  static const policies::MemorySystem system =
      *policies::PresetMemorySystem("file");
  const auto simulation = policies::Simulate(graph, system, plan);
  const absl::Status verdict = policies::VerifyPlan(graph, system, plan);
  RequireRefusal(verdict);
  RequireRefusal(simulation.status());
  if (!verdict.ok()) return;
  Require(simulation.ok(), "a sound plan can be simulated");
  Require(policies::MeasurePlanUsage(graph, system, plan).peak_bytes[0] >= 0,
          "the peak is not negative");
  const auto again = policies::PlanFromProto(policies::PlanToProto(plan));
  Require(again.ok() && policies::VerifyPlan(graph, system, *again).ok(),
          "a sound plan that is written can be read");
}

void Fuzz(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer quiet;
  const auto proto = policies::ParsePlan(FuzzInput(data, size).Rest());
  const auto plan =
      proto.ok() ? policies::PlanFromProto(*proto) : proto.status();
  if (plan.ok()) {
    CheckPlan(*plan);
  } else {
    RequireRefusal(plan.status());
  }
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz(data, size);
  return 0;
}
