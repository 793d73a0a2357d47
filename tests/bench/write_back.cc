// Measures what AutoTM's plans gain by dropping tensors that were fetched and
// not written since, instead of copying them out (section 3.6): the optimum of
// its program with drops and without (docs/policies-autotm.md).
//
//   write_back --systems optane,gpu-pcie GRAPH...
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/status/status.h"
#include "policies/autotm/flow_problem.h"
#include "policies/autotm/formulation.h"
#include "policies/autotm/warm_start.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "policies/solver/cbc.h"

ABSL_FLAG(std::vector<std::string>, systems,
          (std::vector<std::string>{"optane", "gpu-pcie"}), "presets");
ABSL_FLAG(double, fast_ratio, 0.2, "limit as a share of the tensor peak");
ABSL_FLAG(double, time_limit_s, 20, "for each program");

namespace stowage::policies {
namespace {

absl::StatusOr<Graph> ReadGraph(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const absl::StatusOr<v1::Graph> proto = ParseGraph(bytes);
  if (!proto.ok()) return proto.status();
  return GraphFromProto(*proto);
}

Solution SolveWith(const Graph& graph, const MemorySystem& system,
                   const Workload& workload, bool write_back_once) {
  const FlowProblem problem = MakeFlowProblem(
      graph, system, workload,
      {.movement = Movement::kSynchronous, .write_back_once = write_back_once});
  const Formulation formulation(problem);
  const CbcSolver solver;
  SolveOptions options{
      .time_limit = absl::Seconds(absl::GetFlag(FLAGS_time_limit_s)),
      .gap = 0.001};
  options.warm_start = WarmStart(problem, formulation, solver, options);
  return solver.Solve(formulation.program(), options);
}

absl::Status Compare(const std::string& path, const std::string& name) {
  const absl::StatusOr<Graph> graph = ReadGraph(path);
  if (!graph.ok()) return graph.status();
  const absl::StatusOr<MemorySystem> system = PresetMemorySystem(name);
  if (!system.ok()) return system.status();
  const auto limit_bytes = static_cast<int64_t>(
      absl::GetFlag(FLAGS_fast_ratio) *
      static_cast<double>(ComputeLiveness(*graph).peak_bytes));
  const absl::StatusOr<Workload> workload =
      MakeWorkload(*graph, *system, limit_bytes);
  if (!workload.ok()) return workload.status();
  const Solution twice = SolveWith(*graph, *system, *workload, false);
  const Solution once = SolveWith(*graph, *system, *workload, true);
  std::printf(
      "%-28s %-10s %10.3f ms %10.3f ms, %.2f %% less (gaps %.2f %%, "
      "%.2f %%)\n",
      graph->name.c_str(), name.c_str(), twice.objective / 1e3,
      once.objective / 1e3, 100 * (1 - once.objective / twice.objective),
      100 * twice.gap(), 100 * once.gap());
  std::fflush(stdout);
  return absl::OkStatus();
}

int Run(const std::vector<char*>& paths) {
  bool right = true;
  for (size_t i = 1; i < paths.size(); ++i) {
    for (const std::string& system : absl::GetFlag(FLAGS_systems)) {
      const absl::Status status = Compare(paths[i], system);
      if (status.ok()) continue;
      right = false;
      std::fprintf(stderr, "%s on %s: %s\n", paths[i], system.c_str(),
                   std::string(status.message()).c_str());
    }
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace stowage::policies

int main(int argc, char** argv) {
  return stowage::policies::Run(absl::ParseCommandLine(argc, argv));
}
