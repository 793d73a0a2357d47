// Compares policies on graphs, systems and limits: one row for each
// combination.
//
//   absl::StatusOr<Subject> subject =
//       MakeSubject(graph, system, /*rehost=*/true);
//   std::vector<ComparisonCase> cases = {
//       {&*subject, "belady", {.fast_limit_bytes = 1 << 30}}};
//   std::vector<ComparisonRow> rows = Compare(cases, {.jobs = 2});
//   std::cout << RowsToText(rows);          // comparison_output.h
#ifndef STOWAGE_TOOLS_STOWAGE_COMPARE_COMPARISON_H_
#define STOWAGE_TOOLS_STOWAGE_COMPARE_COMPARISON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/policy.h"
#include "tools/stowage/compare/plan_facts.h"

namespace stowage::cli {

// A graph as it runs on a system.
struct Subject {
  policies::Graph graph;  // rehosted if that was asked for and needed
  policies::MemorySystem system;
  int64_t peak_bytes = 0;      // of the graph's tensors
  int64_t all_fast_ns = 0;     // the step with everything fast, without a limit
  double all_fast_price = -1;  // of the memory it uses then; -1: not known
  std::string durations;       // "measured", "rehosted" or "derived"
};

absl::StatusOr<Subject> MakeSubject(policies::Graph graph,
                                    const policies::MemorySystem& system,
                                    bool rehost);

struct ComparisonCase {
  const Subject* subject = nullptr;  // outlives the comparison
  std::string policy;                // see policy_spec.h
  policies::PlanOptions options;
};

struct ComparisonRow {
  std::string graph;
  std::string policy;
  std::string system;
  std::string durations;
  double fast_ratio = 0;  // the limit over the graph's peak
  int64_t fast_limit_bytes = 0;
  int64_t all_fast_ns = 0;
  int64_t lower_bound_ns = 0;  // 0: not computed
  int64_t planning_peak_rss_bytes = 0;
  double all_fast_price = -1;  // US dollars; -1: not known
  PlanFacts facts;

  bool planned() const { return facts.error.empty(); }
  // Returns the step time with everything fast over this one: 1 is as fast as
  // can be.
  double relative_performance() const;
  // Returns the step time over the lower bound, less 1.
  double gap() const;
};

struct ComparisonSettings {
  int jobs = 1;  // plans made at a time
  bool lower_bound = true;
  // How long a plan may take before it is given up.
  absl::Duration give_up_after = absl::InfiniteDuration();
};

// Plans each case in its own process, whose peak of resident memory the row
// tells (forked_call.h). Says on stderr what it is doing. If a case cannot be
// planned, or its planner dies, the row says why.
std::vector<ComparisonRow> Compare(const std::vector<ComparisonCase>& cases,
                                   const ComparisonSettings& settings);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMPARE_COMPARISON_H_
