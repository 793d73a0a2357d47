// Reads files of graphs: binary, JSON, gzipped.
#include <cstddef>
#include <cstdint>

#include "google/protobuf/stubs/logging.h"
#include "policies/bound/lower_bound.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/verify/verifier.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/require.h"

namespace stowage {
namespace {

// Kernels of a graph that is planned for; a longer one takes long.
constexpr int kMostPlannedKernels = 200;

void CheckPlan(const policies::Graph& graph) {
  const policies::MemorySystem system = *policies::PresetMemorySystem("file");
  Require(
      policies::LowerBoundNs(graph, system, 1 << 20, {.iterations = 1}) >= 0,
      "the bound of a step is not negative");
  const auto plan =
      (*policies::MakePolicy("lru"))
          ->MakePlan(graph, system,
                     {.fast_limit_bytes =
                          policies::FindLeastLimit(graph, system).bytes});
  if (!plan.ok()) return RequireRefusal(plan.status());
  Require(policies::VerifyPlan(graph, system, *plan).ok(), "the plan is sound");
}

void CheckGraph(const policies::Graph& graph) {
  Require(policies::GraphId(graph).size() == 64, "graphs have an id");
  Require(policies::ComputeLiveness(graph).peak_bytes >= 0,
          "the peak is not negative");
  const auto again = policies::GraphFromProto(policies::GraphToProto(graph));
  Require(again.ok(), "what is written can be read");
  Require(policies::GraphId(*again) == policies::GraphId(graph),
          "it is the same graph then");
  if (graph.kernel_count() <= kMostPlannedKernels) CheckPlan(graph);
}

void Fuzz(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer quiet;
  const auto proto = policies::ParseGraph(FuzzInput(data, size).Rest());
  const auto graph =
      proto.ok() ? policies::GraphFromProto(*proto) : proto.status();
  if (graph.ok()) {
    CheckGraph(*graph);
  } else {
    RequireRefusal(graph.status());
  }
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz(data, size);
  return 0;
}
