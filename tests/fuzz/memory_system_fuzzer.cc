// Reads files of memory systems, and plans for those that are valid.
#include <cstddef>
#include <cstdint>

#include "google/protobuf/stubs/logging.h"
#include "policies/bound/lower_bound.h"
#include "policies/model/codec.h"
#include "policies/model/memory_system_proto.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/simulate/simulator.h"
#include "policies/verify/verifier.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/require.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage {
namespace {

void CheckSystem(const policies::MemorySystem& system) {
  static const policies::Graph graph = policies::TrainingStepGraph(1, 4);
  const auto again =
      policies::MemorySystemFromProto(policies::MemorySystemToProto(system));
  Require(again.ok(), "what is written can be read");
  const int64_t limit = policies::FindLeastLimit(graph, system).bytes;
  Require(policies::LowerBoundNs(graph, system, limit, {.iterations = 2}) >= 0,
          "the bound of a step is not negative");
  for (const char* policy : {"lru", "autotm-sync"}) {
    const auto plan =
        (*policies::MakePolicy(policy))
            ->MakePlan(graph, system, {.fast_limit_bytes = limit});
    if (!plan.ok()) {
      RequireRefusal(plan.status());
      continue;
    }
    Require(policies::VerifyPlan(graph, system, *plan).ok(),
            "the plan is sound");
    Require(policies::Simulate(graph, system, *plan).ok(),
            "a sound plan can be simulated");
  }
}

void Fuzz(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer quiet;
  const auto proto = policies::ParseMemorySystem(FuzzInput(data, size).Rest());
  const auto system =
      proto.ok() ? policies::MemorySystemFromProto(*proto) : proto.status();
  if (system.ok()) {
    CheckSystem(*system);
  } else {
    RequireRefusal(system.status());
  }
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz(data, size);
  return 0;
}
