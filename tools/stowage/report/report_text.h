// The short summary that `stowage run` prints when the command has ended.
#ifndef STOWAGE_TOOLS_STOWAGE_REPORT_REPORT_TEXT_H_
#define STOWAGE_TOOLS_STOWAGE_REPORT_REPORT_TEXT_H_

#include <string>

#include "tools/stowage/report/report.h"

namespace stowage::cli {

// Lines that begin with "stowage: " and end with a newline.
std::string ReportToText(const RunReport& report);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_REPORT_REPORT_TEXT_H_
