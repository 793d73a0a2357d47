// Runs a suite and computes the numbers that its figures ask for.
//
//   absl::StatusOr<SuiteResults> results = RunSuite(*suite, {.jobs = 2});
//   std::optional<double> v =
//       results->Value(figure, "slowdown", "vgg19-b2048", "4:1", "autotm-sync");
#ifndef STOWAGE_TOOLS_STOWAGE_COMPARE_SUITE_RUN_H_
#define STOWAGE_TOOLS_STOWAGE_COMPARE_SUITE_RUN_H_

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/stowage/compare/comparison.h"
#include "tools/stowage/compare/suite.h"

namespace stowage::cli {

// Names a plan of a figure: the figure's id, the graph, the limit's label, the
// policy.
using SuiteKey = std::tuple<std::string, std::string, std::string, std::string>;

class SuiteResults {
 public:
  // Returns the policies that a figure names and this build does not have.
  const std::vector<std::string>& missing_policies() const {
    return missing_policies_;
  }
  const std::map<SuiteKey, ComparisonRow>& rows() const { return rows_; }

  // Returns a metric of one plan; nullopt if there is no plan or the value is
  // not known.
  std::optional<double> Value(const SuiteFigure& figure,
                              const std::string& metric,
                              const std::string& graph,
                              const std::string& limit,
                              const std::string& policy) const;
  // Returns a quantity over all graphs and limits that match and have values.
  std::optional<double> Value(const SuiteFigure& figure,
                              const SuiteQuantity& quantity) const;

 private:
  friend absl::StatusOr<SuiteResults> RunSuite(
      const Suite& suite, const ComparisonSettings& settings);

  const ComparisonRow* Find(const SuiteFigure& figure, const std::string& graph,
                            const std::string& limit,
                            const std::string& policy) const;

  std::map<SuiteKey, ComparisonRow> rows_;
  std::vector<std::string> missing_policies_;
};

// Runs a suite. Makes a plan once that several figures share. Errors name the
// graph file that is missing or damaged.
absl::StatusOr<SuiteResults> RunSuite(const Suite& suite,
                                      const ComparisonSettings& settings);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMPARE_SUITE_RUN_H_
