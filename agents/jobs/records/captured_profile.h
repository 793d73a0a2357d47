// Copies a profiled step out of the session segment and then checks the copy,
// so that nothing the job does afterwards matters.
//
//   absl::StatusOr<CapturedProfile> profile = CopyProfile(segment->profile);
#ifndef STOWAGE_AGENTS_JOBS_RECORDS_CAPTURED_PROFILE_H_
#define STOWAGE_AGENTS_JOBS_RECORDS_CAPTURED_PROFILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {

struct CapturedProfile {
  uint64_t signature = 0;
  int64_t duration_ns = 0;  // of the step as it was, moves included
  int64_t tensor_peak_bytes = 0;
  int64_t unmanaged_peak_bytes = 0;
  std::vector<session::KernelRecord> kernels;
  std::vector<std::string> names;  // of the kernels: printable, not empty
  std::vector<session::OperandRecord> operands;
  std::vector<session::BlockRecord> blocks;

  int32_t kernel_count() const { return static_cast<int32_t>(kernels.size()); }
};

// Returns a profile in which every index lies within its table, times and sizes
// are not negative and do not overflow when they are added, no block dies before it is born, and no two blocks are born
// at the same (kernel, ordinal). INVALID_ARGUMENT names the record that breaks
// one of these rules.
absl::StatusOr<CapturedProfile> CopyProfile(const session::ProfileArea& area);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_RECORDS_CAPTURED_PROFILE_H_
