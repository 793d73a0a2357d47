#include "tools/stowage/compare/comparison_output.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/stowage/output/table.h"
#include "tools/stowage/plot/python_plot.h"

namespace stowage::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::array<const char*, 16> kColumns = {"graph",
                                                  "policy",
                                                  "system",
                                                  "fast_ratio",
                                                  "step_time_ns",
                                                  "relative_performance",
                                                  "lower_bound_ns",
                                                  "fast_peak_bytes",
                                                  "moved_bytes",
                                                  "stall_ns",
                                                  "locality",
                                                  "memory_price",
                                                  "planning_seconds",
                                                  "planning_peak_rss_bytes",
                                                  "gap",
                                                  "durations"};

// Adds what is known of a plan, in the order of the columns.
void AddPlan(const ComparisonRow& row, ordered_json& json) {
  const PlanFacts& facts = row.facts;
  json["step_time_ns"] = facts.step_time_ns;
  json["relative_performance"] = row.relative_performance();
  json["fast_peak_bytes"] = facts.fast_peak_bytes;
  json["moved_bytes"] = facts.moved_in_bytes + facts.moved_out_bytes;
  json["stall_ns"] = facts.stall_ns;
  json["locality"] = facts.locality;
  if (facts.memory_price >= 0) json["memory_price"] = facts.memory_price;
  json["planning_seconds"] = facts.planning_seconds;
  if (row.lower_bound_ns > 0) json["gap"] = row.gap();
  if (facts.solver_gap >= 0) json["solver_gap"] = facts.solver_gap;
}

std::string CellText(const ordered_json& value) {
  if (value.is_null()) return "-";
  if (value.is_number_float()) {
    return absl::StrFormat("%.4f", value.get<double>());
  }
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

ordered_json RowToJson(const ComparisonRow& row) {
  ordered_json json;
  for (const char* column : kColumns) json[column] = nullptr;
  json["graph"] = row.graph;
  json["policy"] = row.policy;
  json["system"] = row.system;
  json["fast_ratio"] = row.fast_ratio;
  if (row.lower_bound_ns > 0) json["lower_bound_ns"] = row.lower_bound_ns;
  if (row.planning_peak_rss_bytes > 0) {
    json["planning_peak_rss_bytes"] = row.planning_peak_rss_bytes;
  }
  json["durations"] = row.durations;
  json["fast_limit_bytes"] = row.fast_limit_bytes;
  json["notes"] = row.facts.notes;
  json["error"] = nullptr;
  if (row.planned()) {
    AddPlan(row, json);
  } else {
    json["error"] = row.facts.error;
  }
  return json;
}

ordered_json RowsToJson(const std::vector<ComparisonRow>& rows) {
  ordered_json json = ordered_json::array();
  for (const ComparisonRow& row : rows) json.push_back(RowToJson(row));
  return json;
}

std::string RowsToText(const std::vector<ComparisonRow>& rows) {
  Table table({kColumns.begin(), kColumns.end()});
  std::string without_plan;
  for (const ComparisonRow& row : rows) {
    const ordered_json json = RowToJson(row);
    std::vector<std::string> cells;
    cells.reserve(kColumns.size());
    for (const char* column : kColumns) cells.push_back(CellText(json[column]));
    table.AddRow(std::move(cells));
    if (row.planned()) continue;
    absl::StrAppend(&without_plan, row.graph, ", ", row.policy, ", ",
                    row.system, ", ", absl::StrFormat("%.4f", row.fast_ratio),
                    ": no plan: ", row.facts.error, "\n");
  }
  return absl::StrCat(table.ToText(), without_plan.empty() ? "" : "\n",
                      without_plan);
}

absl::Status DrawComparison(const std::vector<ComparisonRow>& rows,
                            const Installation& installation,
                            const std::string& path) {
  return DrawWithPython(installation.comparison_plotter_path,
                        nlohmann::json(RowsToJson(rows)), path);
}

}  // namespace stowage::cli
