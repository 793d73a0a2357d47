#include "tools/stowage/compare/suite_run.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "policies/scaling/batch_scaling.h"
#include "policies/scaling/workspaces.h"
#include "tools/stowage/compare/suite_metric.h"
#include "tools/stowage/import/graph_file.h"
#include "tools/stowage/inputs/policy_spec.h"
#include "tools/stowage/inputs/system_file.h"

namespace stowage::cli {
namespace {

absl::StatusOr<policies::Graph> LoadCapture(const Suite& suite,
                                            const SuiteCapture& capture) {
  const std::filesystem::path path =
      std::filesystem::path(suite.path).parent_path() / "graphs" / capture.file;
  absl::StatusOr<LoadedGraph> loaded = LoadGraph(path, {});
  if (!loaded.ok()) return loaded.status();
  return std::move(loaded->graph);
}

absl::StatusOr<policies::Graph> LoadSuiteGraph(const Suite& suite,
                                               const SuiteGraph& entry) {
  absl::StatusOr<policies::Graph> graph =
      LoadCapture(suite, entry.captures.front());
  if (graph.ok() && entry.captures.size() == 2) {
    const absl::StatusOr<policies::Graph> larger =
        LoadCapture(suite, entry.captures[1]);
    if (!larger.ok()) return larger.status();
    graph =
        policies::ScaleBatch({*graph, entry.captures[0].batch},
                             {*larger, entry.captures[1].batch}, entry.batch);
  }
  if (!graph.ok()) {
    return absl::Status(
        graph.status().code(),
        absl::StrCat("graph '", entry.name, "': ", graph.status().message()));
  }
  graph->name = entry.name;
  if (entry.without_workspaces)
    return policies::WithoutWorkspaces(*std::move(graph));
  return graph;
}

// Plans with equal keys are the same.
using PlanKey = std::tuple<const Subject*, std::string, int64_t, double>;

class SuiteRunner {
 public:
  explicit SuiteRunner(const Suite& suite) : suite_(suite) {}

  absl::Status Prepare() {
    for (const SuiteFigure& figure : suite_.figures) {
      for (const std::string& graph : figure.graphs) {
        const absl::Status added = AddFigureGraph(figure, graph);
        if (!added.ok()) return added;
      }
    }
    return absl::OkStatus();
  }

  std::map<SuiteKey, ComparisonRow> Run(const ComparisonSettings& settings) {
    std::map<SuiteKey, ComparisonRow> rows;
    for (const bool lower_bound : {false, true}) {
      ComparisonSettings now = settings;
      now.lower_bound = lower_bound;
      const std::vector<ComparisonRow> made = Compare(cases_[lower_bound], now);
      for (const auto& [key, index] : wanted_[lower_bound]) {
        rows[key] = made[index];
      }
    }
    return rows;
  }

  std::vector<std::string> missing_policies() const {
    return missing_policies_;
  }

 private:
  absl::StatusOr<const Subject*> FindSubject(const std::string& graph_name,
                                             const std::string& system_name) {
    const auto key = std::make_pair(graph_name, system_name);
    const auto found = subjects_.find(key);
    if (found != subjects_.end()) return &found->second;
    const auto entry = std::find_if(
        suite_.graphs.begin(), suite_.graphs.end(),
        [&](const SuiteGraph& graph) { return graph.name == graph_name; });
    absl::StatusOr<policies::Graph> graph = LoadSuiteGraph(suite_, *entry);
    if (!graph.ok()) return graph.status();
    const absl::StatusOr<policies::MemorySystem> system =
        LoadSystem(system_name);
    if (!system.ok()) return system.status();
    absl::StatusOr<Subject> subject =
        MakeSubject(*std::move(graph), *system, true);
    if (!subject.ok()) return subject.status();
    return &subjects_.emplace(key, *std::move(subject)).first->second;
  }

  absl::Status AddFigureGraph(const SuiteFigure& figure,
                              const std::string& graph) {
    const absl::StatusOr<const Subject*> subject =
        FindSubject(graph, figure.system);
    if (!subject.ok()) return subject.status();
    for (const SuiteLimit& limit : figure.limits) {
      const absl::StatusOr<int64_t> bytes =
          ResolveLimit(limit.limit, (*subject)->graph);
      if (!bytes.ok()) return bytes.status();
      for (const std::string& policy : figure.policies) {
        if (!IsThere(policy)) continue;
        const size_t index = CaseFor(figure, **subject, *bytes, policy);
        wanted_[figure.lower_bound][{figure.id, graph, limit.label, policy}] =
            index;
      }
    }
    return absl::OkStatus();
  }

  bool IsThere(const std::string& policy) {
    if (MakePolicyFromSpec(policy).ok()) return true;
    if (std::find(missing_policies_.begin(), missing_policies_.end(), policy) ==
        missing_policies_.end()) {
      missing_policies_.push_back(policy);
    }
    return false;
  }

  size_t CaseFor(const SuiteFigure& figure, const Subject& subject,
                 int64_t limit_bytes, const std::string& policy) {
    std::vector<ComparisonCase>& cases = cases_[figure.lower_bound];
    const PlanKey key{&subject, policy, limit_bytes, figure.time_limit_s};
    const auto [entry, is_new] =
        index_[figure.lower_bound].try_emplace(key, cases.size());
    if (is_new) {
      cases.push_back(
          {.subject = &subject,
           .policy = policy,
           .options = {.fast_limit_bytes = limit_bytes,
                       .time_limit = absl::Seconds(figure.time_limit_s)}});
    }
    return entry->second;
  }

  const Suite& suite_;
  // By graph and system. The addresses of the elements do not change.
  std::map<std::pair<std::string, std::string>, Subject> subjects_;
  // All three are indexed by whether the lower bound is wanted.
  std::vector<ComparisonCase> cases_[2];
  std::map<PlanKey, size_t> index_[2];
  std::map<SuiteKey, size_t> wanted_[2];
  std::vector<std::string> missing_policies_;
};

}  // namespace

const ComparisonRow* SuiteResults::Find(const SuiteFigure& figure,
                                        const std::string& graph,
                                        const std::string& limit,
                                        const std::string& policy) const {
  const auto row = rows_.find({figure.id, graph, limit, policy});
  return row == rows_.end() ? nullptr : &row->second;
}

std::optional<double> SuiteResults::Value(const SuiteFigure& figure,
                                          const std::string& metric,
                                          const std::string& graph,
                                          const std::string& limit,
                                          const std::string& policy) const {
  const MetricName name = SplitMetric(metric);
  if (name.name == "least_ratio") {
    double share = 0;
    if (!absl::SimpleAtod(name.parameter, &share)) return std::nullopt;
    std::optional<double> least;
    for (const SuiteLimit& tried : figure.limits) {
      const ComparisonRow* row = Find(figure, graph, tried.label, policy);
      if (row == nullptr || !row->planned()) continue;
      if (row->relative_performance() < share) continue;
      least = std::min(least.value_or(row->fast_ratio), row->fast_ratio);
    }
    return least;
  }
  const ComparisonRow* row = Find(figure, graph, limit, policy);
  if (row == nullptr) return std::nullopt;
  if (name.name != "speedup") return RowMetric(metric, *row);
  const ComparisonRow* other =
      Find(figure, graph, limit, std::string(name.parameter));
  if (other == nullptr || !other->planned() || !row->planned()) {
    return std::nullopt;
  }
  return static_cast<double>(other->facts.step_time_ns) /
         static_cast<double>(row->facts.step_time_ns);
}

std::optional<double> SuiteResults::Value(const SuiteFigure& figure,
                                          const SuiteQuantity& wanted) const {
  std::vector<double> values;
  for (const std::string& graph : figure.graphs) {
    if (!wanted.graph.empty() && graph != wanted.graph) continue;
    for (const SuiteLimit& limit : figure.limits) {
      if (!wanted.limit.empty() && limit.label != wanted.limit) continue;
      const auto value =
          Value(figure, wanted.metric, graph, limit.label, wanted.policy);
      std::optional<double> divisor = 1;
      if (!wanted.over.empty() || !wanted.over_limit.empty()) {
        divisor =
            Value(figure, wanted.metric, graph,
                  wanted.over_limit.empty() ? limit.label : wanted.over_limit,
                  wanted.over.empty() ? wanted.policy : wanted.over);
      }
      if (!value || !divisor || *divisor == 0) continue;
      values.push_back(*value / *divisor);
    }
  }
  if (values.empty()) return std::nullopt;
  if (wanted.aggregate == "min") {
    return *std::min_element(values.begin(), values.end());
  }
  if (wanted.aggregate == "max") {
    return *std::max_element(values.begin(), values.end());
  }
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

absl::StatusOr<SuiteResults> RunSuite(const Suite& suite,
                                      const ComparisonSettings& settings) {
  SuiteRunner runner(suite);
  const absl::Status prepared = runner.Prepare();
  if (!prepared.ok()) return prepared;
  SuiteResults results;
  results.rows_ = runner.Run(settings);
  results.missing_policies_ = runner.missing_policies();
  return results;
}

}  // namespace stowage::cli
