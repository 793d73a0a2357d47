// Reads what a job left behind: "<run id>-<pid>.session", a packed
// session::Report. The process that wrote it may have died in the middle or may
// be hostile, so lengths, strings and counts are checked before they are used.
//
//   Sessions sessions = ReadSessions(directory, run_id);
#ifndef STOWAGE_TOOLS_STOWAGE_REPORT_SESSION_FILE_H_
#define STOWAGE_TOOLS_STOWAGE_REPORT_SESSION_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/stowage/report/report.h"

namespace stowage::cli {

// Reads a file. Leaves out torn step records and counts them in
// `dropped_steps`. INVALID_ARGUMENT names the file and what is wrong with it.
absl::StatusOr<JobReport> ReadSessionFile(const std::string& path);

struct Sessions {
  std::vector<JobReport> jobs;
  std::vector<absl::Status> damaged;  // files that could not be read
};

// Reads all files of the run in `directory`, by name.
Sessions ReadSessions(const std::string& directory, const std::string& run_id);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_REPORT_SESSION_FILE_H_
