// Plans for valid graphs of every shape, with every policy that needs no
// training.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "policies/bound/lower_bound.h"
#include "policies/model/graph_validation.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/simulate/simulator.h"
#include "policies/verify/verifier.h"
#include "tests/fuzz/fuzz_graph.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/require.h"

namespace stowage {
namespace {

constexpr absl::Duration kThinkTime = absl::Milliseconds(20);
// Solvers take long for some graphs, and are cancelled then.
constexpr absl::Duration kMostTime = absl::Seconds(2);
constexpr std::array kSystems = {"file", "optane", "cxl", "g10-a100", "redl"};

// Returns a limit from the least that works, less a little, to the peak.
int64_t TakeLimit(FuzzInput& input, const policies::Graph& graph,
                  const policies::MemorySystem& system) {
  const int64_t least = policies::FindLeastLimit(graph, system).bytes;
  const int64_t peak = policies::ComputeLiveness(graph).peak_bytes;
  const int64_t part = std::max<int64_t>(0, peak - least) / 256;
  return std::max<int64_t>(
      1, least - 8 + part * input.Take<uint8_t>() + input.Take<uint8_t>() % 32);
}

void CheckPlan(const policies::Graph& graph,
               const policies::MemorySystem& system,
               const policies::Plan& plan) {
  const absl::Status verdict = policies::VerifyPlan(graph, system, plan);
  if (!verdict.ok()) std::cerr << plan.policy << ": " << verdict << std::endl;
  Require(verdict.ok(), "the plan is sound");
  const auto simulation = policies::Simulate(graph, system, plan);
  Require(simulation.ok(), "a sound plan can be simulated");
  const int64_t bound = policies::LowerBoundNs(
      graph, system, plan.fast_limit_bytes, {.iterations = 4});
  Require(bound <= simulation->prediction.step_time_ns,
          "no plan is below the bound");
}

void Plan(FuzzInput& input) {
  static const std::vector<std::string> names = policies::PolicyNames();
  const std::string& name = names[input.TakeBelow(names.size())];
  const policies::MemorySystem system =
      *policies::PresetMemorySystem(kSystems[input.TakeBelow(kSystems.size())]);
  const auto limit_input = input.TakeBytes(2);
  const policies::Graph graph = TakeGraph(input);
  Require(policies::ValidateGraph(graph).ok(), "the fuzzer's graph is valid");
  FuzzInput limit(reinterpret_cast<const uint8_t*>(limit_input.data()),
                  limit_input.size());
  const absl::Time end = absl::Now() + kMostTime;
  const auto plan =
      (*policies::MakePolicy(name))
          ->MakePlan(graph, system,
                     {.fast_limit_bytes = TakeLimit(limit, graph, system),
                      .time_limit = kThinkTime,
                      .cancellation = policies::Cancellation(
                          [end] { return absl::Now() > end; })});
  if (plan.ok()) {
    CheckPlan(graph, system, *plan);
  } else {
    RequireRefusal(plan.status());
  }
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::FuzzInput input(data, size);
  stowage::Plan(input);
  return 0;
}
