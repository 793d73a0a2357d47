// Makes the study of DeepTM's figure 4: which share of what each kernel reads
// is in fast memory if tensors are kept there by one characteristic alone, by
// heat, or by other policies.
//
//   deeptm_characteristics --ratio 0.2 --dqn vgg19.dqn vgg19-b512.pb.gz
//
// Prints JSON: {"graph", "strategies": [{"name", "step_time_ns", "shares"}]}.
// Shares are by kernel, null if a kernel reads nothing that is managed.
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "nlohmann/json.hpp"
#include "policies/deeptm/dqn/dqn_planner.h"
#include "policies/deeptm/heat_policy.h"
#include "policies/heat/status_table.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/registry.h"
#include "policies/scaling/rehosting.h"
#include "policies/verify/verifier.h"

ABSL_FLAG(std::string, system, "optane", "preset of the memory system");
ABSL_FLAG(double, ratio, 0.2, "fast memory as a share of the graph's peak");
ABSL_FLAG(std::vector<std::string>, policies,
          (std::vector<std::string>{"first-touch", "sentinel",
                                    "annealed-search"}),
          "policies to show beside the characteristics");
ABSL_FLAG(std::string, dqn, "", "a policy that was trained for the graph");

namespace stowage::policies {
namespace {

using nlohmann::json;

struct Strategy {
  std::string name;
  std::unique_ptr<Policy> policy;
};

absl::StatusOr<std::string> ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(path + ": cannot be read");
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

absl::StatusOr<Graph> LoadFor(const MemorySystem& system,
                              const std::string& path) {
  const absl::StatusOr<std::string> bytes = ReadAll(path);
  if (!bytes.ok()) return bytes.status();
  const auto proto = ParseGraph(*bytes);
  if (!proto.ok()) return proto.status();
  absl::StatusOr<Graph> graph = GraphFromProto(*proto);
  if (graph.ok() && NeedsRehosting(*graph, system)) {
    graph = Rehost(*std::move(graph), system);
  }
  return graph;
}

Strategy Characteristic(const std::string& name, const HeatSettings& heat) {
  return {name, std::make_unique<DeepTmHeatPolicy>(MigrationMode::kSynchronous,
                                                   heat)};
}

absl::StatusOr<std::vector<Strategy>> MakeStrategies() {
  std::vector<Strategy> strategies;
  strategies.push_back(Characteristic("lifetime", LifetimeAlone()));
  strategies.push_back(Characteristic("size", SizeAlone()));
  strategies.push_back(Characteristic("frequency", FrequencyAlone()));
  strategies.push_back(Characteristic("recency", RecencyAlone()));
  strategies.push_back(Characteristic("heat (Algorithm 1)", HeatSettings()));
  if (const std::string path = absl::GetFlag(FLAGS_dqn); !path.empty()) {
    const absl::StatusOr<std::string> bytes = ReadAll(path);
    if (!bytes.ok()) return bytes.status();
    absl::StatusOr<DqnPolicy> dqn = DecodeDqnPolicy(*bytes);
    if (!dqn.ok()) return dqn.status();
    strategies.push_back({"deeptm", MakeDeepTmPolicy(*std::move(dqn))});
  }
  for (const std::string& name : absl::GetFlag(FLAGS_policies)) {
    absl::StatusOr<std::unique_ptr<Policy>> policy = MakePolicy(name);
    if (!policy.ok()) return policy.status();
    strategies.push_back({name, *std::move(policy)});
  }
  return strategies;
}

// Returns by kernel the bytes read from fast memory over all bytes read.
json SharesByKernel(const Graph& graph, const Plan& plan) {
  const StatusTable table(graph, plan);
  json shares = json::array();
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    double bytes = 0, fast_bytes = 0;
    for (const Operand& operand : graph.kernels[k].operands) {
      if (!operand.read) continue;
      const double read_bytes =
          static_cast<double>(graph.tensors[operand.tensor].size_bytes) *
          operand.access_count;
      bytes += read_bytes;
      const StatusRecord status = table.At(k, operand.tensor);
      if (status.position == Position::kFast) fast_bytes += read_bytes;
    }
    shares.push_back(bytes > 0 ? json(fast_bytes / bytes) : json(nullptr));
  }
  return shares;
}

absl::StatusOr<json> Study(const Graph& graph, const MemorySystem& system,
                           const Strategy& strategy) {
  const PlanOptions options = {
      .fast_limit_bytes = static_cast<int64_t>(
          absl::GetFlag(FLAGS_ratio) * ComputeLiveness(graph).peak_bytes)};
  const absl::StatusOr<Plan> plan =
      strategy.policy->MakePlan(graph, system, options);
  if (!plan.ok()) return plan.status();
  const absl::Status verified = VerifyPlan(graph, system, *plan);
  if (!verified.ok()) return verified;
  return json{{"name", strategy.name},
              {"step_time_ns", plan->prediction.step_time_ns},
              {"shares", SharesByKernel(graph, *plan)}};
}

absl::StatusOr<json> StudyAll(const std::string& path) {
  const absl::StatusOr<MemorySystem> system =
      PresetMemorySystem(absl::GetFlag(FLAGS_system));
  if (!system.ok()) return system.status();
  const absl::StatusOr<Graph> graph = LoadFor(*system, path);
  if (!graph.ok()) return graph.status();
  const absl::StatusOr<std::vector<Strategy>> strategies = MakeStrategies();
  if (!strategies.ok()) return strategies.status();
  json result = {{"graph", graph->name}, {"strategies", json::array()}};
  for (const Strategy& strategy : *strategies) {
    const absl::StatusOr<json> studied = Study(*graph, *system, strategy);
    if (!studied.ok()) return studied.status();
    result["strategies"].push_back(*studied);
  }
  return result;
}

}  // namespace
}  // namespace stowage::policies

// An exception ends the bench, and says why.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  const std::vector<char*> paths = absl::ParseCommandLine(argc, argv);
  if (paths.size() != 2) {
    std::cerr << "give one graph\n";
    return 2;
  }
  const auto result = stowage::policies::StudyAll(paths[1]);
  if (!result.ok()) {
    std::cerr << result.status().message() << "\n";
    return 1;
  }
  std::cout << result->dump() << "\n";
  return 0;
}
