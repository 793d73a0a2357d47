#include "tools/stowage/compare_command.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policies/registry.h"
#include "tools/stowage/evaluation.h"
#include "tools/stowage/exit_code.h"
#include "tools/stowage/fast_limit.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/output_file.h"
#include "tools/stowage/progress.h"
#include "tools/stowage/system_file.h"
#include "tools/stowage/table.h"
#include "tools/stowage/units.h"

namespace stowage::cli {
namespace {

struct CompareArguments {
  std::vector<std::string> graph_paths;
  GraphFileOptions file;
  std::string system;
  std::vector<std::string> policies = {"all"};
  std::vector<double> ratios;
  std::vector<std::string> limits;
  int64_t seed = 0;
  std::string output;
  bool json = false;
};

struct NamedGraph {
  Graph graph;
  int64_t all_fast_ns = 0;
};

// One policy on one graph under one limit.
struct Cell {
  std::string graph;
  std::string policy;
  int64_t limit_bytes = 0;
  int64_t all_fast_ns = 0;
  absl::StatusOr<Evaluation> evaluation;
};

absl::StatusOr<std::vector<NamedGraph>> LoadGraphs(
    const CompareArguments& arguments, const MemorySystem& system) {
  std::vector<NamedGraph> graphs;
  for (const std::string& path : arguments.graph_paths) {
    absl::StatusOr<LoadedGraph> loaded = LoadGraph(path, arguments.file);
    if (!loaded.ok()) return loaded.status();
    absl::StatusOr<int64_t> all_fast_ns = AllFastStepNs(loaded->graph, system);
    if (!all_fast_ns.ok()) return all_fast_ns.status();
    graphs.push_back({std::move(loaded->graph), *all_fast_ns});
  }
  return graphs;
}

std::vector<FastLimit> Limits(const CompareArguments& arguments) {
  std::vector<FastLimit> limits;
  for (double ratio : arguments.ratios) limits.push_back({.ratio = ratio});
  for (const std::string& bytes : arguments.limits) {
    limits.push_back({.bytes = bytes});
  }
  return limits;
}

absl::StatusOr<std::vector<std::string>> Policies(
    const std::vector<std::string>& wanted) {
  if (wanted.size() == 1 && wanted.front() == "all") return PolicyNames();
  for (const std::string& name : wanted) {
    if (const auto policy = MakePolicy(name); !policy.ok()) {
      return policy.status();
    }
  }
  return wanted;
}

// Every combination, with the limits resolved.
absl::StatusOr<std::vector<Cell>> MakeCells(
    const std::vector<NamedGraph>& graphs, const std::vector<FastLimit>& limits,
    const std::vector<std::string>& policies, const MemorySystem& system,
    int64_t seed) {
  std::vector<Cell> cells;
  Progress progress(
      static_cast<int>(graphs.size() * limits.size() * policies.size()));
  for (const NamedGraph& named : graphs) {
    for (const FastLimit& limit : limits) {
      const absl::StatusOr<int64_t> bytes = ResolveLimit(limit, named.graph);
      if (!bytes.ok()) return bytes.status();
      for (const std::string& policy : policies) {
        progress.Step(absl::StrCat(named.graph.name, ", ", FormatBytes(*bytes),
                                   ", ", policy));
        cells.push_back({.graph = named.graph.name,
                         .policy = policy,
                         .limit_bytes = *bytes,
                         .all_fast_ns = named.all_fast_ns,
                         .evaluation = MakeEvaluation(
                             named.graph, system, policy,
                             {.fast_limit_bytes = *bytes, .seed = seed})});
      }
    }
  }
  return cells;
}

nlohmann::json CellsToJson(const std::vector<Cell>& cells) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Cell& cell : cells) {
    nlohmann::json row =
        cell.evaluation.ok()
            ? EvaluationToJson(*cell.evaluation, cell.all_fast_ns)
            : nlohmann::json{
                  {"policy", cell.policy},
                  {"fast_limit_bytes", cell.limit_bytes},
                  {"error", std::string(cell.evaluation.status().message())}};
    row["graph"] = cell.graph;
    row["feasible"] = cell.evaluation.ok();
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> Row(const Cell& cell) {
  std::vector<std::string> row = {cell.graph, FormatBytes(cell.limit_bytes),
                                  cell.policy};
  if (!cell.evaluation.ok()) {
    row.push_back("infeasible");
    return row;
  }
  const Prediction& p = cell.evaluation->plan.prediction;
  for (std::string text :
       {FormatDurationNs(p.step_time_ns),
        absl::StrFormat(
            "%.3f", RelativePerformance(*cell.evaluation, cell.all_fast_ns)),
        FormatBytes(p.fast_peak_bytes), FormatBytes(p.moved_in_bytes),
        FormatBytes(p.moved_out_bytes), FormatDurationNs(p.stall_ns),
        absl::StrFormat("%.1f%%", 100 * p.locality),
        absl::StrFormat(
            "%.2f s", absl::ToDoubleSeconds(cell.evaluation->planning_time))}) {
    row.push_back(std::move(text));
  }
  return row;
}

std::string CellsToText(const std::vector<Cell>& cells) {
  Table table({"graph", "limit", "policy", "step", "relative", "fast peak",
               "moved in", "moved out", "stall", "locality", "planned in"});
  std::string infeasible;
  for (const Cell& cell : cells) {
    table.AddRow(Row(cell));
    if (cell.evaluation.ok()) continue;
    absl::StrAppend(&infeasible, cell.graph, ", ",
                    FormatBytes(cell.limit_bytes), ", ", cell.policy, ": ",
                    cell.evaluation.status().message(), "\n");
  }
  return absl::StrCat(table.ToText(), infeasible.empty() ? "" : "\n",
                      infeasible);
}

int Compare(const CompareArguments& arguments) {
  const std::vector<FastLimit> limits = Limits(arguments);
  if (limits.empty()) {
    return ReportUsageError(absl::InvalidArgumentError(
        "give --fast-ratio or --fast-bytes, or several of them"));
  }
  const auto policies = Policies(arguments.policies);
  if (!policies.ok()) return ReportUsageError(policies.status());
  const absl::StatusOr<MemorySystem> system = LoadSystem(arguments.system);
  if (!system.ok()) return ReportError(system.status());
  const auto graphs = LoadGraphs(arguments, *system);
  if (!graphs.ok()) return ReportError(graphs.status());
  const absl::StatusOr<std::vector<Cell>> cells =
      MakeCells(*graphs, limits, *policies, *system, arguments.seed);
  if (!cells.ok()) return ReportUsageError(cells.status());
  return ReportError(WriteOutput(
      arguments.output, arguments.json ? CellsToJson(*cells).dump(2) + "\n"
                                       : CellsToText(*cells)));
}

}  // namespace

void AddCompareCommand(CLI::App& root, CommandList& commands) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* app = root.add_subcommand(
      "compare", "Plan graphs with several policies and compare the plans");
  app->add_option("graphs", arguments->graph_paths,
                  "Graphs, profiled graphs or PyTorch execution traces")
      ->required();
  app->add_option("--member", arguments->file.member,
                  "File to read in a tar archive");
  app->add_option("--iteration", arguments->file.iteration,
                  "Iteration of a trace, from 0");
  app->add_option("--system", arguments->system,
                  "Memory system: a preset or a file")
      ->required();
  app->add_option("--policies", arguments->policies,
                  "Policies, separated by commas, or all")
      ->delimiter(',');
  app->add_option("--fast-ratio", arguments->ratios,
                  "Limits as shares of each graph's peak, by commas")
      ->delimiter(',');
  app->add_option("--fast-bytes", arguments->limits,
                  "Limits as sizes, separated by commas")
      ->delimiter(',');
  app->add_option("--seed", arguments->seed, "Seed of random choices");
  app->add_option("-o,--output", arguments->output,
                  "Write the comparison to this file");
  AddFormatOption(*app, arguments->json);
  commands.push_back({app, [arguments] { return Compare(*arguments); }});
}

}  // namespace stowage::cli
