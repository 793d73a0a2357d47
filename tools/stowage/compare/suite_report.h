// Reports what a suite found beside what the papers say, as Markdown, JSON and
// pictures.
//
//   absl::Status written = WriteSuiteReport(suite, results, installation,
//                                           "suite-results");
#ifndef STOWAGE_TOOLS_STOWAGE_COMPARE_SUITE_REPORT_H_
#define STOWAGE_TOOLS_STOWAGE_COMPARE_SUITE_REPORT_H_

#include <string>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "tools/stowage/compare/suite.h"
#include "tools/stowage/compare/suite_run.h"
#include "tools/stowage/process/installation.h"

namespace stowage::cli {

// Makes the directory. PERMISSION_DENIED, which names it: it cannot be made or
// written.
absl::Status MakeSuiteDirectory(const std::string& directory);

// Returns a section for each figure: the grid of each metric, with the paper's
// number, if it prints one, in parentheses; then each claim of the paper beside
// the same number here.
std::string SuiteToMarkdown(const Suite& suite, const SuiteResults& results);

// Returns {"figures": [{"id", ..., "rows": [as compare has them], "claims":
// [...]}], "missing_policies": [...]}.
nlohmann::ordered_json SuiteToJson(const Suite& suite,
                                   const SuiteResults& results);

// Writes report.md, report.json, and FIGURE.svg for each figure with several
// limits.
absl::Status WriteSuiteReport(const Suite& suite, const SuiteResults& results,
                              const Installation& installation,
                              const std::string& directory);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMPARE_SUITE_REPORT_H_
