// Reads a job's step log for telemetry.
//
//   StepReader reader(&segment->report.steps, job_id);
//   std::vector<v1::StepTelemetry> steps = reader.Read();   // every 50 ms
#ifndef STOWAGE_AGENTS_JOBS_RECORDS_STEP_READER_H_
#define STOWAGE_AGENTS_JOBS_RECORDS_STEP_READER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "client_sdk/session/session.h"
#include "stowage/v1/node.pb.h"

namespace stowage::agent {

// Not thread-safe.
class StepReader {
 public:
  StepReader(const session::StepLog* log, std::string job_id)
      : log_(log), job_id_(std::move(job_id)) {}

  // Returns at most 1024 of the steps logged since the last call; the next call
  // returns the rest. Leaves out steps that were overwritten meanwhile, and
  // records that no step can have. Does not block.
  std::vector<v1::StepTelemetry> Read();

 private:
  const session::StepLog* const log_;
  const std::string job_id_;
  uint64_t read_ = 0;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_RECORDS_STEP_READER_H_
