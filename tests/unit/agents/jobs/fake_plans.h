// Plays a service that makes plans under any limit that is large enough.
//
//   FakePlans plans{.enough_bytes = 5 << 20};
//   absl::StatusOr<v1::MakePlanResponse> made = plans(/*limit_bytes=*/100 << 20);
#ifndef STOWAGE_TESTS_UNIT_AGENTS_JOBS_FAKE_PLANS_H_
#define STOWAGE_TESTS_UNIT_AGENTS_JOBS_FAKE_PLANS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "google/protobuf/any.pb.h"
#include "stowage/v1/placement.pb.h"
#include "stowage/v1/status.pb.h"

namespace stowage::agent {

// Plans whose steps take a second and, below `enough_bytes`, two.
struct FakePlans {
  absl::StatusOr<v1::MakePlanResponse> operator()(int64_t limit_bytes) {
    limits.push_back(limit_bytes);
    if (limit_bytes < least_bytes) {
      v1::LimitTooSmall detail;
      detail.set_least_limit_bytes(least_bytes);
      google::protobuf::Any any;
      any.PackFrom(detail);
      absl::Status status = absl::FailedPreconditionError("too small");
      status.SetPayload(any.type_url(), absl::Cord(any.value()));
      return status;
    }
    v1::MakePlanResponse made;
    made.mutable_plan()->mutable_prediction()->set_step_time_ns(
        limit_bytes < enough_bytes ? 2'000'000'000 : 1'000'000'000);
    if (limit_bytes < streams_below_bytes) made.mutable_plan()->add_streams();
    return made;
  }

  int64_t enough_bytes = 0;
  int64_t least_bytes = 0;
  int64_t streams_below_bytes = 0;
  std::vector<int64_t> limits;
};

}  // namespace stowage::agent

#endif  // STOWAGE_TESTS_UNIT_AGENTS_JOBS_FAKE_PLANS_H_
