// Shows the rows of a comparison as JSON, as a table and as a picture.
//
//   std::cout << RowsToText(rows);
//   absl::Status drawn = DrawComparison(rows, installation, "compare.svg");
//
// The columns are graph, policy, system, fast_ratio, step_time_ns,
// relative_performance, lower_bound_ns, fast_peak_bytes, moved_bytes, stall_ns,
// locality, memory_price, planning_seconds, planning_peak_rss_bytes, gap and
// durations, in this order. JSON also has fast_limit_bytes, notes and error.
// `error` is null or says why there is no plan; the other values are then null.
#ifndef STOWAGE_TOOLS_STOWAGE_COMPARE_COMPARISON_OUTPUT_H_
#define STOWAGE_TOOLS_STOWAGE_COMPARE_COMPARISON_OUTPUT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "tools/stowage/compare/comparison.h"
#include "tools/stowage/process/installation.h"

namespace stowage::cli {

nlohmann::ordered_json RowToJson(const ComparisonRow& row);
nlohmann::ordered_json RowsToJson(const std::vector<ComparisonRow>& rows);

// Returns the table, and below it why rows have no plan.
std::string RowsToText(const std::vector<ComparisonRow>& rows);

// Draws relative performance over the fast ratio, with a panel for each graph
// and system and a line for each policy. `path` ends in .svg or .png.
absl::Status DrawComparison(const std::vector<ComparisonRow>& rows,
                            const Installation& installation,
                            const std::string& path);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMPARE_COMPARISON_OUTPUT_H_
