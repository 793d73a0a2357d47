#include "server/fleet/job_resize.h"

#include <algorithm>
#include <string>

namespace stowage {

v1::Resize NewResize(const v1::ResizeJobRequest& request, int64_t last_number,
                     absl::Time now) {
  v1::Resize resize;
  resize.set_number(std::max(last_number + 1, absl::ToUnixMillis(now)));
  resize.set_fast_limit_bytes(request.fast_limit_bytes());
  resize.set_fast_limit_fraction(request.fast_limit_fraction());
  resize.set_state(v1::RESIZE_STATE_PENDING);
  return resize;
}

bool HasLimit(const v1::Resize& resize, const v1::ResizeJobRequest& request) {
  return resize.fast_limit_bytes() == request.fast_limit_bytes() &&
         resize.fast_limit_fraction() == request.fast_limit_fraction();
}

bool IsPending(const v1::Job& job) {
  return job.resize().state() == v1::RESIZE_STATE_PENDING;
}

v1::ResizeOrder OrderOf(const v1::Job& job) {
  v1::ResizeOrder order;
  order.set_job_id(job.job_id());
  order.set_number(job.resize().number());
  order.set_fast_limit_bytes(job.resize().fast_limit_bytes());
  order.set_fast_limit_fraction(job.resize().fast_limit_fraction());
  return order;
}

void SettleResize(const v1::ResizeOutcome& outcome, v1::Job* job) {
  if (!IsPending(*job) || outcome.number() != job->resize().number()) return;
  if (outcome.state() == v1::RESIZE_STATE_OBEYED) {
    job->mutable_resize()->set_state(v1::RESIZE_STATE_OBEYED);
    job->set_fast_limit_bytes(job->resize().fast_limit_bytes());
  } else if (outcome.state() == v1::RESIZE_STATE_REFUSED) {
    RefuseResize(outcome.reason(), job);
    job->mutable_resize()->set_least_limit_bytes(outcome.least_limit_bytes());
  }
}

void RefuseResize(absl::string_view reason, v1::Job* job) {
  if (!IsPending(*job)) return;
  job->mutable_resize()->set_state(v1::RESIZE_STATE_REFUSED);
  job->mutable_resize()->set_reason(std::string(reason));
}

}  // namespace stowage
