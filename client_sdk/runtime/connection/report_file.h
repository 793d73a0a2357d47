// Keeps a job's report beyond its session, when the agent is no longer there to
// do it.
//
//   WriteReportFile("/var/log/stowage", run_id, segment->report);
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_REPORT_FILE_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_REPORT_FILE_H_

#include <string>

#include "client_sdk/session/session.h"

namespace stowage::runtime {

// Writes "<directory>/<run id>-<pid>.session", whole or not at all. Returns
// false if that fails, because nobody is left to tell.
bool WriteReportFile(const std::string& directory, const std::string& run_id,
                     const session::Report& report);

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_REPORT_FILE_H_
