// Reads suites. A suite holds figures of papers that a planner alone can
// reproduce, as data: which graphs, system, limits and policies a figure needs,
// and what the paper says.
//
//   absl::StatusOr<Suite> suite = LoadSuite(SuitePath("papers", installation));
//   absl::StatusOr<SuiteResults> results = RunSuite(*suite, {});  // suite_run.h
//
// tools/stowage/suites/papers.json is one; docs/reference-suite.md describes
// the fields.
#ifndef STOWAGE_TOOLS_STOWAGE_COMPARE_SUITE_H_
#define STOWAGE_TOOLS_STOWAGE_COMPARE_SUITE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/stowage/inputs/fast_limit.h"
#include "tools/stowage/process/installation.h"

namespace stowage::cli {

struct SuiteCapture {
  std::string file;  // in graphs/ beside the suite's file
  int64_t batch = 0;
};

// One capture as it is, or two that are scaled to `batch` (batch_scaling.h).
struct SuiteGraph {
  std::string name;
  std::vector<SuiteCapture> captures;
  int64_t batch = 0;
  // Whether to leave out the scratch that libraries take for themselves, such
  // as copies in another layout. Other frameworks keep that layout between
  // kernels.
  bool without_workspaces = false;
};

struct SuiteLimit {
  std::string label;  // as the paper has it: "4:1", "20 %"
  FastLimit limit;
};

// A number that a paper prints for one graph, limit and policy.
struct SuitePublished {
  std::string metric;
  std::string graph;
  std::string limit;
  std::string policy;
  double value = 0;
};

// One number from those of a figure: a metric (suite_metric.h) of one policy.
// It is divided by that of another policy or limit if they are given, and
// aggregated over all graphs and limits that match.
struct SuiteQuantity {
  std::string metric;
  std::string policy;
  std::string limit;       // empty: all of the figure
  std::string graph;       // empty: all of the figure
  std::string over;        // policy to divide by; empty: none
  std::string over_limit;  // limit to divide by; empty: the same
  std::string aggregate;   // "mean", "min" or "max"
};

struct SuiteClaim {
  std::string text;
  std::string where;  // in the paper
  std::string paper;  // the paper's number, as text
  SuiteQuantity here;
};

struct SuiteFigure {
  std::string id;
  std::string title;
  std::string source;
  std::string note;  // what differs from the paper's experiment
  std::string system;
  std::vector<std::string> graphs;
  std::vector<SuiteLimit> limits;
  std::vector<std::string> policies;
  std::vector<std::string> metrics;
  double time_limit_s = 0;
  bool lower_bound = false;
  std::vector<SuitePublished> published;
  std::vector<SuiteClaim> claims;
};

struct Suite {
  std::string path;
  std::vector<SuiteGraph> graphs;
  std::vector<SuiteFigure> figures;
};

// Returns the path of a suite: "papers" is one of the installation, everything
// else is a file.
std::string SuitePath(const std::string& name,
                      const Installation& installation);

// Reads a suite and checks the references between its parts. Errors begin with
// the path and name the field.
absl::StatusOr<Suite> LoadSuite(const std::string& path);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMPARE_SUITE_H_
