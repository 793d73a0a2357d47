// Decides what becomes of a job's resize: the limit that was asked for while it
// runs.
//
//   *job.mutable_resize() = NewResize(request, /*last_number=*/0, absl::Now());
//   v1::ResizeOrder order = OrderOf(job);
//   SettleResize(outcome, &job);
//
// Pure functions. A job without a resize has one of number 0.
#ifndef STOWAGE_SERVER_FLEET_JOB_RESIZE_H_
#define STOWAGE_SERVER_FLEET_JOB_RESIZE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "stowage/v1/job.pb.h"
#include "stowage/v1/node.pb.h"

namespace stowage {

// Returns what the request asks for, pending. Its number is above
// `last_number`, and above those of a service that ran before: agents know an
// order by its number.
v1::Resize NewResize(const v1::ResizeJobRequest& request, int64_t last_number,
                     absl::Time now);

// Returns whether the request asks for the limit of `resize`.
bool HasLimit(const v1::Resize& resize, const v1::ResizeJobRequest& request);

bool IsPending(const v1::Job& job);

// Returns the order for the agent of a job whose resize is pending.
v1::ResizeOrder OrderOf(const v1::Job& job);

// Notes what came of the resize, and the limit of a job that has obeyed.
// Ignores an outcome of another number, or of a resize that is not pending.
void SettleResize(const v1::ResizeOutcome& outcome, v1::Job* job);

// Refuses a resize that is pending, because of `reason`.
void RefuseResize(absl::string_view reason, v1::Job* job);

}  // namespace stowage

#endif  // STOWAGE_SERVER_FLEET_JOB_RESIZE_H_
