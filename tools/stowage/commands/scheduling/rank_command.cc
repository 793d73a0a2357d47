#include "tools/stowage/commands/scheduling/rank_command.h"

#include <iostream>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "policies/model/graph_proto.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/inputs/service_client.h"
#include "tools/stowage/inputs/size_option.h"
#include "tools/stowage/options/input_options.h"
#include "tools/stowage/options/option_checks.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/table.h"
#include "tools/stowage/output/units.h"

namespace stowage::cli {
namespace {

struct RankArguments {
  std::string graph_path;
  GraphFileOptions file;
  std::string fast;
  int count = 10;
  std::string service;
  bool json = false;
};

// Registers the graph of the file, if one is named, and returns its id.
absl::StatusOr<std::string> RegisterGraph(const RankArguments& arguments,
                                          Client& client) {
  if (arguments.graph_path.empty()) return "";
  const absl::StatusOr<LoadedGraph> loaded =
      LoadGraph(arguments.graph_path, arguments.file);
  if (!loaded.ok()) return loaded.status();
  v1::RegisterGraphRequest registration;
  *registration.mutable_graph() = policies::GraphToProto(loaded->graph);
  absl::StatusOr<v1::RegisterGraphResponse> registered =
      client.RegisterGraph(registration);
  if (!registered.ok()) return registered.status();
  return registered->graph_id();
}

std::string RankingToText(const v1::RankNodesResponse& ranking) {
  Table table({"node", "step", "fast memory", "left", "of", "jobs"});
  for (const v1::RankedNode& node : ranking.nodes()) {
    table.AddRow(
        {node.node(),
         node.predicted_step_time_ns() > 0
             ? FormatDurationNs(node.predicted_step_time_ns())
             : "unknown",
         node.fast_bytes() > 0 ? FormatBytes(node.fast_bytes()) : "any",
         FormatBytes(node.free_fast_bytes()),
         FormatBytes(node.total_fast_bytes()),
         absl::StrCat(node.active_jobs())});
  }
  return absl::StrCat(ranking.nodes().empty() ? "" : table.ToText(),
                      ranking.suitable(), " nodes suit the job, ",
                      ranking.full(), " are full, and ", ranking.unsuitable(),
                      " do not suit\n");
}

nlohmann::json RankingToJson(const v1::RankNodesResponse& ranking) {
  nlohmann::json nodes = nlohmann::json::array();
  for (const v1::RankedNode& node : ranking.nodes()) {
    nodes.push_back({{"node", node.node()},
                     {"predicted_step_time_ns", node.predicted_step_time_ns()},
                     {"fast_bytes", node.fast_bytes()},
                     {"free_fast_bytes", node.free_fast_bytes()},
                     {"total_fast_bytes", node.total_fast_bytes()},
                     {"active_jobs", node.active_jobs()}});
  }
  return {{"nodes", nodes},
          {"suitable", ranking.suitable()},
          {"full", ranking.full()},
          {"unsuitable", ranking.unsuitable()}};
}

absl::StatusOr<v1::RankNodesResponse> Ask(const RankArguments& arguments) {
  v1::RankNodesRequest request;
  if (!arguments.fast.empty()) {
    const absl::StatusOr<int64_t> fast_bytes =
        ParseSize("--fast", arguments.fast);
    if (!fast_bytes.ok()) return fast_bytes.status();
    request.set_fast_bytes(*fast_bytes);
  }
  request.set_count(arguments.count);
  const absl::StatusOr<std::unique_ptr<Client>> client =
      ConnectToService(arguments.service);
  if (!client.ok()) return client.status();
  absl::StatusOr<std::string> graph_id = RegisterGraph(arguments, **client);
  if (!graph_id.ok()) return graph_id.status();
  request.set_graph_id(*std::move(graph_id));
  return (*client)->RankNodes(request);
}

int Rank(const RankArguments& arguments) {
  if (arguments.graph_path.empty() && arguments.fast.empty()) {
    return ReportUsageError(
        absl::InvalidArgumentError("give the job's graph, or --fast, or both"));
  }
  const absl::StatusOr<v1::RankNodesResponse> ranking = Ask(arguments);
  if (!ranking.ok()) return ReportError(ranking.status());
  std::cout << (arguments.json ? RankingToJson(*ranking).dump(2) + "\n"
                               : RankingToText(*ranking));
  return ranking->suitable() > 0 ? kExitOk : kExitInfeasible;
}

}  // namespace

void AddRankCommand(Options& root, CommandList& commands) {
  auto arguments = std::make_shared<RankArguments>();
  Options app = root.AddSubcommand(
      "rank", "Rank the nodes of a service for a job, the fastest first");
  app.Add("graph", arguments->graph_path,
          "The job's graph; without one, nodes are ranked by the fast memory "
          "that is left");
  AddFileOptions(app, arguments->file);
  app.Add("--fast", arguments->fast,
          "Fast memory that the job is to have (8GiB); what 99 % of full speed "
          "takes by default");
  app.Add("--count", arguments->count, "The most nodes to show")
      .Check(WholeNumberIn(1, 10000))
      .ShowDefault();
  app.Add("--service", arguments->service, "Address of the service")
      .Required()
      .FromEnvironment("STOWAGE_SERVICE");
  app.AddFormat(arguments->json);
  commands.push_back({app, [arguments] { return Rank(*arguments); }});
}

}  // namespace stowage::cli
