// Reads which metrics there are, from a reference page and from what a program
// serves, so that a test can compare both.
//
//   EXPECT_EQ(ServedMetrics(page), DocumentedMetrics("docs/reference-agent.md"));
#ifndef STOWAGE_TESTS_UNIT_NETWORK_METRIC_TABLES_H_
#define STOWAGE_TESTS_UNIT_NETWORK_METRIC_TABLES_H_

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace stowage {

// Types by name: "counter", "gauge", "histogram".
using MetricTypes = std::map<std::string, std::string>;

// Returns those of the table with the columns "metric" and "type", of a page in
// the source tree.
inline MetricTypes DocumentedMetrics(const std::string& path) {
  std::ifstream page(std::string(STOWAGE_SOURCE_DIR) + "/" + path);
  MetricTypes types;
  bool in_table = false;
  for (std::string line; std::getline(page, line);) {
    const std::vector<std::string> cells = absl::StrSplit(line, " | ");
    if (cells[0] == "| metric") {
      in_table = true;
    } else if (line.empty()) {
      in_table = false;
    } else if (absl::string_view name = cells[0];
               in_table && absl::ConsumePrefix(&name, "| `") &&
               absl::ConsumeSuffix(&name, "`")) {
      types[std::string(name)] = cells.at(1);
    }
  }
  return types;
}

// Returns those of a page in Prometheus' text format.
inline MetricTypes ServedMetrics(const std::string& page) {
  MetricTypes types;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (words.size() == 4 && words[1] == "TYPE") types[words[2]] = words[3];
  }
  return types;
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_UNIT_NETWORK_METRIC_TABLES_H_
