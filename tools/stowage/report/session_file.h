// Reads what a job left behind: "<run id>-<pid>.session", a packed
// session::Report. Whoever wrote it may have died in the middle or may be
// hostile: lengths, strings and counts are checked before they are used.
//
//   absl::StatusOr<std::vector<JobReport>> jobs = ReadSessions(dir, run_id);
#ifndef STOWAGE_TOOLS_STOWAGE_REPORT_SESSION_FILE_H_
#define STOWAGE_TOOLS_STOWAGE_REPORT_SESSION_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/stowage/report/report.h"

namespace stowage::cli {

// INVALID_ARGUMENT names the file and what is wrong with it. Step records that
// are torn are left out and counted in `dropped_steps`.
absl::StatusOr<JobReport> ReadSessionFile(const std::string& path);

struct Sessions {
  std::vector<JobReport> jobs;
  std::vector<absl::Status> damaged;  // files that could not be read
};

// All files of the run in `directory`, by name.
Sessions ReadSessions(const std::string& directory, const std::string& run_id);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_REPORT_SESSION_FILE_H_
