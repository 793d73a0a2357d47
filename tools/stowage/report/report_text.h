// Writes the short summary that `stowage run` prints when the command has
// ended.
//
//   std::cerr << ReportToText(report);
#ifndef STOWAGE_TOOLS_STOWAGE_REPORT_REPORT_TEXT_H_
#define STOWAGE_TOOLS_STOWAGE_REPORT_REPORT_TEXT_H_

#include <string>

#include "tools/stowage/report/report.h"

namespace stowage::cli {

// Returns lines that begin with "stowage: " and end with a newline.
std::string ReportToText(const RunReport& report);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_REPORT_REPORT_TEXT_H_
