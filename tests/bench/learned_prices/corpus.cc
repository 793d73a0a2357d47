#include "tests/bench/learned_prices/corpus.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/plan_policy.h"
#include "policies/planning/workload.h"
#include "policies/scaling/rehosting.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

Graph Load(const std::string& name) {
  absl::string_view rest = name;
  int layers = 0;
  if (absl::ConsumePrefix(&rest, "training:") &&
      absl::SimpleAtoi(rest, &layers)) {
    Graph graph = TrainingStepGraph(layers, layers);
    graph.name = name;
    return graph;
  }
  std::ifstream file(name, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto proto = ParseGraph(bytes);
  if (!proto.ok()) {
    std::cerr << name << ": " << proto.status().message() << "\n";
    std::exit(1);
  }
  return *GraphFromProto(*proto);
}

std::optional<Case> MakeCase(Graph graph, const MemorySystem& system,
                             double ratio) {
  if (NeedsRehosting(graph, system)) graph = Rehost(std::move(graph), system);
  const auto share =
      static_cast<int64_t>(ratio * ComputeLiveness(graph).peak_bytes);
  std::string label =
      absl::StrFormat("%-16s %-8s %.2f", graph.name, system.name, ratio);
  Case one{
      .label = std::move(label), .graph = std::move(graph), .system = system};
  one.limit_bytes = std::max(share, FindLeastLimit(one.graph, system).bytes);
  const PlanOptions options{.fast_limit_bytes = one.limit_bytes};
  if (PlanWithoutMoves(one.graph, system, options, "").has_value()) {
    return std::nullopt;
  }
  if (!MakeWorkload(one.graph, system, EffectiveLimit(system, options)).ok()) {
    return std::nullopt;
  }
  for (const Kernel& kernel : one.graph.kernels) {
    one.fast_ns +=
        kernel.gap_ns + kernel.profile.fast_inputs_fast_outputs.duration_ns;
  }
  return one;
}

}  // namespace

std::vector<Case> MakeCases(const std::vector<std::string>& graphs,
                            const std::vector<std::string>& systems,
                            const std::vector<double>& ratios) {
  std::vector<Case> cases;
  for (const std::string& name : graphs) {
    const Graph graph = Load(name);
    for (const std::string& system : systems) {
      for (const double ratio : ratios) {
        std::optional<Case> one =
            MakeCase(graph, *PresetMemorySystem(system), ratio);
        if (one.has_value()) cases.push_back(*std::move(one));
      }
    }
  }
  return cases;
}

}  // namespace stowage::policies
