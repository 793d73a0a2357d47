#include "tools/stowage/commands/scale_command.h"

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "policies/scaling/batch_scaling.h"
#include "policies/scaling/workspaces.h"
#include "tools/stowage/graphs/graph_summary.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/import/imported_graph.h"
#include "tools/stowage/options/option_checks.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/output_file.h"
#include "tools/stowage/output/units.h"

namespace stowage::cli {
namespace {

struct ScaleArguments {
  std::string small_path;
  std::string larger_path;
  std::vector<int64_t> batches;  // of the two captures
  int64_t batch = 0;
  bool without_workspaces = false;
  std::string output;
};

absl::StatusOr<policies::Graph> MakeScaled(const ScaleArguments& arguments) {
  const absl::StatusOr<LoadedGraph> small = LoadGraph(arguments.small_path, {});
  if (!small.ok()) return small.status();
  const absl::StatusOr<LoadedGraph> larger =
      LoadGraph(arguments.larger_path, {});
  if (!larger.ok()) return larger.status();
  return policies::ScaleBatch({small->graph, arguments.batches.front()},
                              {larger->graph, arguments.batches.back()},
                              arguments.batch);
}

int Scale(const ScaleArguments& arguments) {
  absl::StatusOr<policies::Graph> graph = MakeScaled(arguments);
  if (!graph.ok()) return ReportError(graph.status());
  if (arguments.without_workspaces) {
    graph = policies::WithoutWorkspaces(*std::move(graph));
  }
  graph->name = GraphNameFrom(GraphNameFromPath(arguments.output));
  const absl::Status written = WriteFileAtomically(
      arguments.output,
      policies::Serialize(policies::GraphToProto(*graph),
                          policies::EncodingForPath(arguments.output)));
  if (!written.ok()) return ReportError(written);
  const GraphSummary summary = Summarize(*graph, 0);
  std::cout << summary.name << ": " << summary.kernel_count << " kernels, "
            << summary.tensor_count << " tensors, peak "
            << FormatBytes(summary.peak_bytes) << "\n";
  return kExitOk;
}

}  // namespace

void AddScaleCommand(Options& graph, CommandList& commands) {
  auto arguments = std::make_shared<ScaleArguments>();
  Options app = graph.AddSubcommand(
      "scale", "Predict the step of a larger batch from two captured ones");
  app.Add("small", arguments->small_path, "Graph of a small batch").Required();
  app.Add("larger", arguments->larger_path, "Graph of a somewhat larger batch")
      .Required();
  app.Add("--batches", arguments->batches,
          "Batches of the two, separated by a comma")
      .SeparatedByCommas()
      .Expects(2, 2)
      .Check(WholeNumberFrom(1))
      .Required();
  app.Add("--to", arguments->batch, "Batch to scale to")
      .Check(WholeNumberFrom(1))
      .Required();
  app.Add("--without-workspaces", arguments->without_workspaces,
          "Leave out scratch memory that libraries take");
  app.Add("-o,--output", arguments->output,
          "Write the graph here: .pb or .json, with .gz gzipped")
      .Check(NotEmpty())
      .Required();
  commands.push_back({app, [arguments] { return Scale(*arguments); }});
}

}  // namespace stowage::cli
