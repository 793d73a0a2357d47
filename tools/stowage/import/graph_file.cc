#include "tools/stowage/import/graph_file.h"

#include <filesystem>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "tools/stowage/import/imported_graph.h"
#include "tools/stowage/import/profiled_graph.h"
#include "tools/stowage/import/trace_graph.h"
#include "tools/stowage/import/trace_node.h"
#include "tools/stowage/inputs/input_file.h"
#include "tools/stowage/inputs/json_input.h"

namespace stowage::cli {
namespace {

bool IsJson(absl::string_view bytes) {
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != absl::string_view::npos &&
         (bytes[first] == '{' || bytes[first] == '[');
}

bool IsOwnGraph(const nlohmann::json& document) {
  return document.is_object() && (document.contains("schemaVersion") ||
                                  document.contains("schema_version"));
}

absl::StatusOr<ImportedGraph> ReadOwnGraph(absl::string_view bytes) {
  absl::StatusOr<v1::Graph> graph =
      policies::ParseGraph({bytes.data(), bytes.size()});
  if (!graph.ok()) return graph.status();
  return ImportedGraph{.graph = *std::move(graph), .format = "Stowage graph"};
}

absl::StatusOr<ImportedGraph> ReadTrace(const nlohmann::json& document,
                                        const std::string& name,
                                        const GraphFileOptions& options) {
  absl::StatusOr<ExecutionTrace> trace = ReadExecutionTrace(document);
  if (!trace.ok()) return trace.status();
  return ImportTrace(*trace, {.name = name, .iteration = options.iteration});
}

absl::StatusOr<ImportedGraph> Read(absl::string_view bytes,
                                   const std::string& name,
                                   const GraphFileOptions& options) {
  if (!IsJson(bytes)) return ReadOwnGraph(bytes);
  absl::StatusOr<nlohmann::json> document = ParseJsonInput(bytes);
  if (!document.ok()) return document.status();
  if (IsOwnGraph(*document)) return ReadOwnGraph(bytes);
  if (IsProfiledGraph(*document)) return ReadProfiledGraph(*document);
  if (IsExecutionTrace(*document)) return ReadTrace(*document, name, options);
  return absl::InvalidArgumentError(
      "not a graph: expected a Stowage graph ('schemaVersion'), a profiled "
      "graph ('kernels' with measured durations) or a PyTorch execution trace "
      "('schema' and 'nodes')");
}

}  // namespace

std::string GraphNameFromPath(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  while (name.has_extension()) name = name.stem();
  return name;
}

absl::StatusOr<LoadedGraph> ParseGraphFile(absl::string_view bytes,
                                           const std::string& name,
                                           const GraphFileOptions& options) {
  absl::StatusOr<ImportedGraph> imported = Read(bytes, name, options);
  if (!imported.ok()) return imported.status();
  absl::StatusOr<policies::Graph> graph =
      policies::GraphFromProto(imported->graph);
  if (!graph.ok()) return graph.status();
  return LoadedGraph{.graph = *std::move(graph),
                     .format = std::move(imported->format),
                     .notes = std::move(imported->notes)};
}

absl::StatusOr<LoadedGraph> LoadGraph(const std::string& path,
                                      const GraphFileOptions& options) {
  absl::StatusOr<std::string> bytes = ReadInput(path, options.member);
  if (!bytes.ok()) return bytes.status();
  const std::string name =
      GraphNameFromPath(options.member.empty() ? path : options.member);
  absl::StatusOr<LoadedGraph> loaded = ParseGraphFile(*bytes, name, options);
  if (loaded.ok()) return loaded;
  return absl::Status(loaded.status().code(),
                      absl::StrCat(path, ": ", loaded.status().message()));
}

}  // namespace stowage::cli
