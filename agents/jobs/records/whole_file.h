// Writes files that appear whole or not at all.
//
//   absl::Status status = WriteWholeFile("/run/stowage/agent.ready", "");
#ifndef STOWAGE_AGENTS_JOBS_RECORDS_WHOLE_FILE_H_
#define STOWAGE_AGENTS_JOBS_RECORDS_WHOLE_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stowage::agent {

// Writes a file beside `path`, readable by all, and renames it. Errors name the
// file and say what to do. Blocks.
absl::Status WriteWholeFile(const std::string& path, absl::string_view bytes);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_RECORDS_WHOLE_FILE_H_
