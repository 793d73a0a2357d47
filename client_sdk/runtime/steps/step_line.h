// Writes a step as one line of JSON, for training loggers.
//
//   std::string line = StepLine(record, {.job_id = "node-17-1", .kind = 0});
//   // {"job":"node-17-1","pid":17,...,"duration_s":0.123456,...}
//
// Times are in seconds. What there is none of is null. docs/python-api.md has
// all fields.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_LINE_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_LINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client_sdk/session/session.h"

namespace stowage::runtime {

// What a line has beside the record of the step.
struct StepLineFacts {
  std::string_view job_id = {};
  int32_t pid = 0;
  std::optional<int32_t> rank = {};
  int64_t time_ns = 0;  // when the step ended, since 1970
  int32_t kind = 0;
  std::string_view surprise = {};  // that ended its plan; empty: none
};

// Returns the line, without an end of line in it or behind it.
std::string StepLine(const session::StepRecord& record,
                     const StepLineFacts& facts);

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_LINE_H_
