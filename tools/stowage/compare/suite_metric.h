// Computes the metrics that figures show of plans.
//
//   std::optional<double> price = RowMetric("price_ratio", row);
//
// | metric | value |
// |---|---|
// | relative_performance | step time with everything fast, over this |
// | slowdown | the inverse |
// | speedup:POLICY | step time of POLICY on the same graph and limit, over this |
// | step_ms, moved_gb, moved_in_gb, moved_out_gb | milliseconds, 10^9 bytes |
// | locality, input_locality, output_locality | shares of bytes found fast |
// | data_locality | share of operands found fast |
// | price_ratio | price of the memory used, over that with everything fast |
// | planning_seconds, planning_rss_mb, solver_gap, gap | of planning |
// | peak_gb | tensor peak of the graph |
// | least_ratio:SHARE | the least of the figure's limits, as a share of the
// peak, that reaches SHARE of the performance with everything fast |
#ifndef STOWAGE_TOOLS_STOWAGE_COMPARE_SUITE_METRIC_H_
#define STOWAGE_TOOLS_STOWAGE_COMPARE_SUITE_METRIC_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tools/stowage/compare/comparison.h"

namespace stowage::cli {

// Checks the name of a metric. INVALID_ARGUMENT lists those that there are.
absl::Status CheckMetric(absl::string_view metric);

// The name of a metric. "speedup:first-touch" and "least_ratio:0.9" have a
// parameter.
struct MetricName {
  absl::string_view name;
  absl::string_view parameter;  // empty: none
};
MetricName SplitMetric(absl::string_view metric);

// Returns a metric of one row, that is, any but speedup and least_ratio;
// nullopt if the row has no plan or the value is not known.
std::optional<double> RowMetric(absl::string_view name,
                                const ComparisonRow& row);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMPARE_SUITE_METRIC_H_
