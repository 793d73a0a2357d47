#include "tools/stowage/commands/graph_command.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "tools/stowage/graphs/graph_summary.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/options/input_options.h"
#include "tools/stowage/options/option_checks.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/output_file.h"
#include "tools/stowage/output/units.h"

namespace stowage::cli {
namespace {

constexpr size_t kLargestTensors = 10;

struct GraphArguments {
  std::vector<std::string> paths;
  GraphFileOptions file;
  std::string output;
  bool json = false;
};

nlohmann::json ImportJson(const LoadedGraph& loaded) {
  nlohmann::json json = SummaryToJson(Summarize(loaded.graph, 0), loaded.graph);
  json["format"] = loaded.format;
  json["notes"] = loaded.notes;
  return json;
}

std::string ImportText(const LoadedGraph& loaded) {
  const GraphSummary summary = Summarize(loaded.graph, 0);
  std::string text = absl::StrCat(
      summary.name, ": ", loaded.format, ", ", summary.kernel_count,
      " kernels, ", summary.tensor_count, " tensors, peak ",
      FormatBytes(summary.peak_bytes), ", id ", summary.graph_id, "\n");
  for (const std::string& note : loaded.notes) {
    absl::StrAppend(&text, "  ", note, "\n");
  }
  return text;
}

int Import(const GraphArguments& arguments) {
  absl::StatusOr<LoadedGraph> loaded =
      LoadGraph(arguments.paths.front(), arguments.file);
  if (!loaded.ok()) return ReportError(loaded.status());
  if (!arguments.output.empty()) {
    absl::Status written = WriteFileAtomically(
        arguments.output,
        policies::Serialize(policies::GraphToProto(loaded->graph),
                            policies::EncodingForPath(arguments.output)));
    if (!written.ok()) return ReportError(written);
  }
  std::cout << (arguments.json ? ImportJson(*loaded).dump(2) + "\n"
                               : ImportText(*loaded));
  return kExitOk;
}

int Show(const GraphArguments& arguments) {
  absl::StatusOr<LoadedGraph> loaded =
      LoadGraph(arguments.paths.front(), arguments.file);
  if (!loaded.ok()) return ReportError(loaded.status());
  const GraphSummary summary = Summarize(loaded->graph, kLargestTensors);
  return ReportError(WriteOutput(
      arguments.output,
      arguments.json ? SummaryToJson(summary, loaded->graph).dump(2) + "\n"
                     : SummaryToText(summary, loaded->graph)));
}

// Checks every file. Returns the exit code of the first failure.
int Validate(const GraphArguments& arguments) {
  int code = kExitOk;
  nlohmann::json results = nlohmann::json::array();
  for (const std::string& path : arguments.paths) {
    const absl::Status status = LoadGraph(path, arguments.file).status();
    if (code == kExitOk) code = ExitCodeFor(status);
    results.push_back({{"file", path},
                       {"valid", status.ok()},
                       {"error", std::string(status.message())}});
    if (arguments.json) continue;
    if (status.ok()) std::cout << path << ": valid\n";
    ReportError(status);
  }
  if (arguments.json) std::cout << results.dump(2) << "\n";
  return code;
}

// Adds a subcommand that reads files with graphs.
Options AddReader(Options& graph, const std::string& name,
                  const std::string& help, bool several,
                  GraphArguments& arguments) {
  Options app = graph.AddSubcommand(name, help);
  app.Add("file", arguments.paths,
          "Graph, profiled graph or PyTorch execution trace; gzip and "
          "tar are read as they are")
      .Required()
      .Expects(1, several ? 1 << 16 : 1);
  AddFileOptions(app, arguments.file);
  app.AddFormat(arguments.json);
  return app;
}

}  // namespace

void AddGraphCommands(Options& graph, CommandList& commands) {
  const auto add = [&](const char* name, const char* help, bool several,
                       const char* output_help,
                       int (*run)(const GraphArguments&)) {
    auto arguments = std::make_shared<GraphArguments>();
    Options app = AddReader(graph, name, help, several, *arguments);
    if (output_help != nullptr) {
      app.Add("-o,--output", arguments->output, output_help).Check(NotEmpty());
    }
    commands.push_back({app, [arguments, run] { return run(*arguments); }});
  };
  add("import", "Read a graph or trace that another tool made", false,
      "Write the graph here: .pb or .json, with .gz gzipped", &Import);
  add("show", "Show the kernels, tensors, peak and least limits of a graph",
      false, "Write the output to this file", &Show);
  add("validate", "Check whether graphs are valid, and say where they are not",
      true, nullptr, &Validate);
}

}  // namespace stowage::cli
