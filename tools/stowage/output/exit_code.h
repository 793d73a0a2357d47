// Names the exit codes of the command line, and reports errors.
//
//   if (!graph.ok()) return ReportError(graph.status());
#ifndef STOWAGE_TOOLS_STOWAGE_OUTPUT_EXIT_CODE_H_
#define STOWAGE_TOOLS_STOWAGE_OUTPUT_EXIT_CODE_H_

#include "absl/status/status.h"

namespace stowage::cli {

// The values above 2 are those of sysexits.h.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailure = 1,
  kExitUsage = 2,
  kExitBadData = 65,
  kExitNoInput = 66,
  kExitUnavailable = 69,
  kExitCannotCreate = 73,
  kExitNoPermission = 77,
  kExitInfeasible = 78,
};

// Returns the exit code that says best what `status` means; kExitOk for OK.
int ExitCodeFor(const absl::Status& status);

// Prints "stowage: <message>" on stderr and returns ExitCodeFor(status).
int ReportError(const absl::Status& status);

// Does the same for an error in the command line itself, and returns
// kExitUsage.
int ReportUsageError(const absl::Status& status);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_OUTPUT_EXIT_CODE_H_
