#include "tools/stowage/compare/suite_report.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/stowage/compare/comparison_output.h"
#include "tools/stowage/output/output_file.h"

namespace stowage::cli {
namespace {

using nlohmann::ordered_json;

std::string Number(std::optional<double> value) {
  return value ? absl::StrFormat("%.3g", *value) : "–";
}

std::string MarkdownRow(const std::vector<std::string>& cells) {
  return absl::StrCat("| ", absl::StrJoin(cells, " | "), " |\n");
}

std::string MarkdownHead(const std::vector<std::string>& cells) {
  return absl::StrCat(MarkdownRow(cells), MarkdownRow(std::vector<std::string>(
                                              cells.size(), "---")));
}

std::optional<double> Published(const SuiteFigure& figure,
                                const std::string& metric,
                                const std::string& graph,
                                const std::string& limit,
                                const std::string& policy) {
  for (const SuitePublished& cell : figure.published) {
    if (cell.metric == metric && cell.graph == graph && cell.limit == limit &&
        cell.policy == policy) {
      return cell.value;
    }
  }
  return std::nullopt;
}

// Returns whether the metric is one number for a graph, whatever the limit.
bool IsByGraph(const std::string& metric) {
  return absl::StartsWith(metric, "least_ratio") || metric == "peak_gb";
}

std::string GridRow(const SuiteFigure& figure, const SuiteResults& results,
                    const std::string& metric, const std::string& graph,
                    const std::string& limit) {
  std::vector<std::string> cells = {graph};
  if (!IsByGraph(metric)) cells.push_back(limit);
  for (const std::string& policy : figure.policies) {
    const auto published = Published(figure, metric, graph, limit, policy);
    cells.push_back(absl::StrCat(
        Number(results.Value(figure, metric, graph, limit, policy)),
        published ? absl::StrCat(" (", Number(published), ")") : ""));
  }
  return MarkdownRow(cells);
}

std::string Grid(const SuiteFigure& figure, const SuiteResults& results,
                 const std::string& metric) {
  std::vector<std::string> head = {"graph"};
  if (!IsByGraph(metric)) head.push_back("fast memory");
  head.insert(head.end(), figure.policies.begin(), figure.policies.end());
  std::string text = absl::StrCat("`", metric, "`:\n\n", MarkdownHead(head));
  for (const std::string& graph : figure.graphs) {
    for (const SuiteLimit& limit : figure.limits) {
      text += GridRow(figure, results, metric, graph, limit.label);
      if (IsByGraph(metric)) break;
    }
  }
  return text + "\n";
}

std::string Claims(const SuiteFigure& figure, const SuiteResults& results) {
  if (figure.claims.empty()) return "";
  std::string text = MarkdownHead({"the paper says", "where", "there", "here"});
  for (const SuiteClaim& claim : figure.claims) {
    text += MarkdownRow({claim.text, claim.where, claim.paper,
                         Number(results.Value(figure, claim.here))});
  }
  return text + "\n";
}

// Returns a line for each plan that was not made.
std::string Failures(const SuiteFigure& figure, const SuiteResults& results) {
  std::string text;
  for (const auto& [key, row] : results.rows()) {
    const auto& [id, graph, limit, policy] = key;
    if (id != figure.id || row.planned()) continue;
    absl::StrAppend(&text, "- no plan for ", graph, ", ", limit, ", ", policy,
                    ": ", row.facts.error, "\n");
  }
  return text.empty() ? text : text + "\n";
}

std::vector<ComparisonRow> RowsOf(const SuiteFigure& figure,
                                  const SuiteResults& results) {
  std::vector<ComparisonRow> rows;
  for (const std::string& graph : figure.graphs) {
    for (const SuiteLimit& limit : figure.limits) {
      for (const std::string& policy : figure.policies) {
        const auto row =
            results.rows().find({figure.id, graph, limit.label, policy});
        if (row != results.rows().end()) rows.push_back(row->second);
      }
    }
  }
  return rows;
}

ordered_json ClaimToJson(const SuiteFigure& figure, const SuiteClaim& claim,
                         const SuiteResults& results) {
  const std::optional<double> here = results.Value(figure, claim.here);
  return {{"claim", claim.text},
          {"where", claim.where},
          {"paper", claim.paper},
          {"here", here ? ordered_json(*here) : ordered_json(nullptr)}};
}

ordered_json FigureToJson(const SuiteFigure& figure,
                          const SuiteResults& results) {
  ordered_json claims = ordered_json::array();
  for (const SuiteClaim& claim : figure.claims) {
    claims.push_back(ClaimToJson(figure, claim, results));
  }
  return {{"id", figure.id},
          {"title", figure.title},
          {"source", figure.source},
          {"note", figure.note},
          {"rows", RowsToJson(RowsOf(figure, results))},
          {"claims", std::move(claims)}};
}

}  // namespace

absl::Status MakeSuiteDirectory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return OutputError(absl::PermissionDeniedError(
        absl::StrCat("cannot make the directory '", directory,
                     "': ", error.message(), "; name another by --suite-dir")));
  }
  return CheckWritable(absl::StrCat(directory, "/report.json"));
}

std::string SuiteToMarkdown(const Suite& suite, const SuiteResults& results) {
  std::string text;
  for (const SuiteFigure& figure : suite.figures) {
    absl::StrAppend(&text, "## ", figure.title, "\n\n", figure.source,
                    ". System `", figure.system, "`. ", figure.note, "\n\n");
    for (const std::string& metric : figure.metrics) {
      text += Grid(figure, results, metric);
    }
    text += Claims(figure, results);
    text += Failures(figure, results);
  }
  if (!results.missing_policies().empty()) {
    absl::StrAppend(&text, "Not in this build: ",
                    absl::StrJoin(results.missing_policies(), ", "), ".\n");
  }
  return text;
}

ordered_json SuiteToJson(const Suite& suite, const SuiteResults& results) {
  ordered_json figures = ordered_json::array();
  for (const SuiteFigure& figure : suite.figures) {
    figures.push_back(FigureToJson(figure, results));
  }
  return {{"figures", std::move(figures)},
          {"missing_policies", results.missing_policies()}};
}

absl::Status WriteSuiteReport(const Suite& suite, const SuiteResults& results,
                              const Installation& installation,
                              const std::string& directory) {
  absl::Status status = WriteFileAtomically(
      absl::StrCat(directory, "/report.md"), SuiteToMarkdown(suite, results));
  status.Update(
      WriteFileAtomically(absl::StrCat(directory, "/report.json"),
                          SuiteToJson(suite, results).dump(2) + "\n"));
  for (const SuiteFigure& figure : suite.figures) {
    if (!status.ok()) return status;
    if (figure.limits.size() < 2) continue;
    status.Update(
        DrawComparison(RowsOf(figure, results), installation,
                       absl::StrCat(directory, "/", figure.id, ".svg")));
  }
  return status;
}

}  // namespace stowage::cli
