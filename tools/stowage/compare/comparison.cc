#include "tools/stowage/compare/comparison.h"

#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "policies/bound/lower_bound.h"
#include "policies/model/liveness.h"
#include "policies/scaling/rehosting.h"
#include "policies/simulate/plan_usage.h"
#include "tools/stowage/compare/evaluation.h"
#include "tools/stowage/output/progress.h"
#include "tools/stowage/output/units.h"
#include "tools/stowage/process/forked_call.h"

namespace stowage::cli {
namespace {

double Over(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 1;
}

// All policies under one limit share a lower bound.
using BoundKey = std::pair<const Subject*, int64_t>;

BoundKey BoundKeyOf(const ComparisonCase& one) {
  return {one.subject, one.options.fast_limit_bytes};
}

std::string Title(const Subject& subject, int64_t limit_bytes) {
  return absl::StrCat(subject.graph.name, " on ", subject.system.name, ", ",
                      FormatBytes(limit_bytes));
}

// Returns the lower bounds; 0 for one that could not be computed.
std::map<BoundKey, int64_t> LowerBounds(
    const std::vector<ComparisonCase>& cases,
    const ComparisonSettings& settings) {
  std::map<BoundKey, int64_t> bounds;
  for (const ComparisonCase& one : cases) bounds[BoundKeyOf(one)] = 0;
  std::vector<BoundKey> keys;
  keys.reserve(bounds.size());
  for (const auto& [key, bound] : bounds) keys.push_back(key);
  Progress progress(static_cast<int>(keys.size()));
  const auto results = RunForked(
      {.count = keys.size(),
       .jobs = settings.jobs,
       .give_up_after = settings.give_up_after},
      [&](size_t i) {
        return absl::StrCat(policies::LowerBoundNs(
            keys[i].first->graph, keys[i].first->system, keys[i].second));
      },
      [&](size_t i) {
        progress.Step(absl::StrCat("lower bound: ",
                                   Title(*keys[i].first, keys[i].second)));
      });
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!results[i].ok()) continue;
    if (!absl::SimpleAtoi(results[i]->output, &bounds[keys[i]])) continue;
  }
  return bounds;
}

std::string PlanningFailure(const absl::Status& status,
                            absl::Duration give_up_after) {
  if (absl::IsDeadlineExceeded(status)) {
    return absl::StrCat("planning took longer than --give-up-after ",
                        absl::ToDoubleSeconds(give_up_after),
                        " allows and was stopped");
  }
  return absl::StrCat("planning failed: ", status.message());
}

ComparisonRow MakeRow(const ComparisonCase& one, int64_t lower_bound_ns,
                      const absl::StatusOr<ForkedResult>& result,
                      absl::Duration give_up_after) {
  const Subject& subject = *one.subject;
  ComparisonRow row{
      .graph = subject.graph.name,
      .policy = one.policy,
      .system = subject.system.name,
      .durations = subject.durations,
      .fast_ratio = Over(one.options.fast_limit_bytes, subject.peak_bytes),
      .fast_limit_bytes = one.options.fast_limit_bytes,
      .all_fast_ns = subject.all_fast_ns,
      .lower_bound_ns = lower_bound_ns,
      .all_fast_price = subject.all_fast_price};
  if (!result.ok()) {
    row.facts.error = PlanningFailure(result.status(), give_up_after);
    return row;
  }
  row.planning_peak_rss_bytes = result->peak_rss_bytes;
  absl::StatusOr<PlanFacts> facts = PlanFactsFromText(result->output);
  row.facts = facts.ok()
                  ? *std::move(facts)
                  : PlanFacts{.error = std::string(facts.status().message())};
  return row;
}

}  // namespace

double ComparisonRow::relative_performance() const {
  return Over(all_fast_ns, facts.step_time_ns);
}

double ComparisonRow::gap() const {
  return Over(facts.step_time_ns, lower_bound_ns) - 1;
}

absl::StatusOr<Subject> MakeSubject(policies::Graph graph,
                                    const policies::MemorySystem& system,
                                    bool rehost) {
  if (rehost && policies::NeedsRehosting(graph, system)) {
    graph = policies::Rehost(std::move(graph), system);
  }
  Subject subject{.graph = std::move(graph), .system = system};
  subject.peak_bytes = policies::ComputeLiveness(subject.graph).peak_bytes;
  subject.durations = std::string(policies::DurationOrigin(subject.graph));
  const absl::StatusOr<Evaluation> all_fast =
      MakeAllFastEvaluation(subject.graph, system);
  if (!all_fast.ok()) return all_fast.status();
  subject.all_fast_ns = all_fast->plan.prediction.step_time_ns;
  subject.all_fast_price =
      policies::MemoryPriceUsd(system,
                               {all_fast->plan.prediction.fast_peak_bytes})
          .value_or(-1);
  return subject;
}

std::vector<ComparisonRow> Compare(const std::vector<ComparisonCase>& cases,
                                   const ComparisonSettings& settings) {
  std::map<BoundKey, int64_t> bounds;
  if (settings.lower_bound) bounds = LowerBounds(cases, settings);
  Progress progress(static_cast<int>(cases.size()));
  const auto results = RunForked(
      {.count = cases.size(),
       .jobs = settings.jobs,
       .give_up_after = settings.give_up_after},
      [&](size_t i) {
        const Subject& subject = *cases[i].subject;
        return ToText(MakePlanFacts(subject.graph, subject.system,
                                    cases[i].policy, cases[i].options));
      },
      [&](size_t i) {
        progress.Step(absl::StrCat(
            Title(*cases[i].subject, cases[i].options.fast_limit_bytes), ", ",
            cases[i].policy));
      });
  std::vector<ComparisonRow> rows;
  for (size_t i = 0; i < cases.size(); ++i) {
    rows.push_back(MakeRow(cases[i], bounds[BoundKeyOf(cases[i])], results[i],
                           settings.give_up_after));
  }
  return rows;
}

}  // namespace stowage::cli
