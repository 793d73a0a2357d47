// What a job writes into the logs of its report, which agent and command line
// read: steps that are over, and events that a user must know of.
//
//   ReportEvent(&segment->report, "agent-lost", "the node agent is gone");
//   ReportStep(&segment->report, {.index = 0, .mode = session::kStepDemand});
//
// The job is the only writer of both logs: the Job's mutex guards them.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_REPORT_LOG_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_REPORT_LOG_H_

#include <cstdint>
#include <string_view>

#include "client_sdk/session/session.h"

namespace stowage::runtime {

// Adds an event of the running step. `reason` is a short constant name;
// `kernel` is -1 where the event belongs to none. Text that does not fit is
// cut.
void ReportEvent(session::Report* report, std::string_view reason,
                 std::string_view detail, int32_t kernel = -1);

// Adds a step that is over. The next one is running from here on.
void ReportStep(session::Report* report, const session::StepRecord& step);

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_REPORT_LOG_H_
