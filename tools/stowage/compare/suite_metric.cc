#include "tools/stowage/compare/suite_metric.h"

#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace stowage::cli {
namespace {

constexpr double kGb = 1e9;

// Returns a metric; a negative number if it is not known.
using Formula = double (*)(const ComparisonRow& row);

const std::map<absl::string_view, Formula>& Formulas() {
  using Row = ComparisonRow;
  static const auto* formulas = new std::map<absl::string_view, Formula>{
      {"relative_performance",
       [](const Row& r) { return r.relative_performance(); }},
      {"slowdown", [](const Row& r) { return 1 / r.relative_performance(); }},
      {"step_ms", [](const Row& r) { return r.facts.step_time_ns / 1e6; }},
      {"moved_gb",
       [](const Row& r) {
         return (r.facts.moved_in_bytes + r.facts.moved_out_bytes) / kGb;
       }},
      {"moved_in_gb",
       [](const Row& r) { return r.facts.moved_in_bytes / kGb; }},
      {"moved_out_gb",
       [](const Row& r) { return r.facts.moved_out_bytes / kGb; }},
      {"locality", [](const Row& r) { return r.facts.locality; }},
      {"input_locality", [](const Row& r) { return r.facts.input_locality; }},
      {"output_locality", [](const Row& r) { return r.facts.output_locality; }},
      {"data_locality", [](const Row& r) { return r.facts.data_locality; }},
      {"price_ratio",
       [](const Row& r) {
         const bool known = r.facts.memory_price >= 0 && r.all_fast_price > 0;
         return known ? r.facts.memory_price / r.all_fast_price : -1;
       }},
      {"planning_seconds",
       [](const Row& r) { return r.facts.planning_seconds; }},
      {"planning_rss_mb",
       [](const Row& r) { return r.planning_peak_rss_bytes / 1e6; }},
      {"solver_gap", [](const Row& r) { return r.facts.solver_gap; }},
      {"gap", [](const Row& r) { return r.lower_bound_ns > 0 ? r.gap() : -1; }},
      {"peak_gb",
       [](const Row& r) {
         return static_cast<double>(r.fast_limit_bytes) / r.fast_ratio / kGb;
       }},
  };
  return *formulas;
}

}  // namespace

MetricName SplitMetric(absl::string_view metric) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(metric, absl::MaxSplits(':', 1));
  return {parts.first, parts.second};
}

absl::Status CheckMetric(absl::string_view metric) {
  const MetricName name = SplitMetric(metric);
  double share = 0;
  const bool valid =
      name.name == "speedup" ? !name.parameter.empty()
      : name.name == "least_ratio"
          ? absl::SimpleAtod(name.parameter, &share) && share > 0 && share <= 1
          : Formulas().count(name.name) > 0 && name.parameter.empty();
  if (valid) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "there is no metric '", metric,
      "'; use speedup:POLICY, least_ratio:SHARE, ",
      absl::StrJoin(Formulas(), ", ", [](std::string* out, const auto& entry) {
        absl::StrAppend(out, entry.first);
      })));
}

std::optional<double> RowMetric(absl::string_view name,
                                const ComparisonRow& row) {
  const auto formula = Formulas().find(name);
  if (!row.planned() || formula == Formulas().end()) return std::nullopt;
  const double value = formula->second(row);
  if (value < 0) return std::nullopt;
  return value;
}

}  // namespace stowage::cli
