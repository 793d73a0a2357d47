#include "tools/stowage/commands/capture_command.h"

#include <iostream>
#include <memory>

#include "absl/status/statusor.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "tools/stowage/graphs/backward_flops.h"
#include "tools/stowage/graphs/captured_graphs.h"
#include "tools/stowage/graphs/graph_summary.h"
#include "tools/stowage/graphs/host_processor.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/import/imported_graph.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/output_file.h"
#include "tools/stowage/output/units.h"
#include "tools/stowage/process/installation.h"
#include "tools/stowage/process/temp_directory.h"
#include "tools/stowage/run/job_run.h"
#include "tools/stowage/run/run_request.h"

namespace stowage::cli {
namespace {

struct CaptureArguments {
  RunRequest run;
  int signature = 0;  // number of the profiled step, from 1; 0: the last
  std::string output;
  bool json = false;
};

// Gives the graph its name and the processor that it was measured on, so that
// its durations can be rehosted.
void Label(const std::string& path, policies::Graph& graph) {
  const HostProcessor processor = DescribeHostProcessor();
  FillBackwardFlops(graph);
  graph.name = GraphNameFrom(GraphNameFromPath(path));
  graph.processor = processor.name;
  graph.processor_peak = processor.peak;
}

absl::Status WriteGraph(const JobRun& run, const CaptureArguments& arguments) {
  absl::StatusOr<policies::Graph> graph =
      LoadCapturedGraph(run.graph_dir, run.run_id, arguments.signature);
  if (!graph.ok()) return graph.status();
  Label(arguments.output, *graph);
  absl::Status written = WriteFileAtomically(
      arguments.output,
      policies::Serialize(policies::GraphToProto(*graph),
                          policies::EncodingForPath(arguments.output)));
  if (!written.ok()) return written;
  const GraphSummary summary = Summarize(*graph, 0);
  if (arguments.json) {
    std::cerr << SummaryToJson(summary, *graph).dump() << "\n";
  } else {
    std::cerr << "stowage: captured " << summary.kernel_count << " kernels and "
              << summary.tensor_count << " tensors, peak "
              << FormatBytes(summary.peak_bytes) << ", in " << arguments.output
              << "\n";
  }
  return absl::OkStatus();
}

int Capture(const CaptureArguments& arguments) {
  absl::Status requested = CheckRunRequest(arguments.run);
  if (!requested.ok()) return ReportUsageError(requested);
  const absl::StatusOr<Installation> installation = FindInstallation();
  if (!installation.ok()) return ReportError(installation.status());
  absl::Status checked = CheckWritable(arguments.output);
  if (checked.ok()) checked = CheckInstalled(installation->preload_path);
  if (checked.ok()) checked = CheckInstalled(installation->plugin_path);
  if (!checked.ok()) return ReportError(checked);
  const absl::StatusOr<TempDirectory> directory = TempDirectory::Make();
  if (!directory.ok()) return ReportError(directory.status());
  const absl::StatusOr<JobRun> run =
      RunJob(arguments.run, *installation, directory->path());
  if (!run.ok()) return ReportError(run.status());
  if (run->exit_status != 0) {
    std::cerr << "stowage: the command ended with status " << run->exit_status
              << "; no graph was written\n";
    return run->exit_status;
  }
  return ReportError(WriteGraph(*run, arguments));
}

}  // namespace

void AddCaptureCommand(Options& graph,
                       const std::vector<std::string>& job_command,
                       CommandList& commands) {
  auto arguments = std::make_shared<CaptureArguments>();
  Options app = graph.AddSubcommand(
      "capture", "Run a training command and profile a step into a graph");
  app.SetFooter(
      "The command follows '--': stowage graph capture -o g.json -- CMD ...");
  app.Add("-o,--output", arguments->output,
          "Write the graph here: .pb or .json, with .gz gzipped")
      .Required();
  app.Add("--signature", arguments->signature,
          "Number of the kind of step, from 1, if several kinds were "
          "profiled; the last one by default");
  app.Add("--slow", arguments->run.slow, "Slow tier of the run");
  app.Add("--policy", arguments->run.policy, "Policy of the run");
  app.AddFormat(arguments->json);
  commands.push_back({app, [arguments, &job_command] {
                        arguments->run.command = job_command;
                        return Capture(*arguments);
                      }});
}

}  // namespace stowage::cli
