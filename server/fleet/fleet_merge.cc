#include "server/fleet/fleet_merge.h"

#include <algorithm>

#include "server/fleet/job_resize.h"

namespace stowage {
namespace {

// What an agent says of a job when it starts: the last word counts.
void MergeDescription(const v1::StoredJob& theirs, v1::StoredJob* ours) {
  if (theirs.last_heard_ns() <= ours->last_heard_ns()) return;
  const v1::Job& job = theirs.job();
  v1::Job* own = ours->mutable_job();
  if (!job.command().empty()) own->set_command(job.command());
  if (!job.policy().empty()) own->set_policy(job.policy());
  if (!job.graph_id().empty()) own->set_graph_id(job.graph_id());
  if (job.fast_limit_bytes() > 0) {
    own->set_fast_limit_bytes(job.fast_limit_bytes());
  }
  ours->set_last_heard_ns(theirs.last_heard_ns());
}

// Whoever has taken in the later step has heard of all before it.
void MergeTelemetry(const v1::StoredJob& theirs, v1::StoredJob* ours) {
  if (theirs.last_step() <= ours->last_step()) return;
  const v1::Job& job = theirs.job();
  v1::Job* own = ours->mutable_job();
  own->set_steps(job.steps());
  own->set_last_step_duration_ns(job.last_step_duration_ns());
  own->set_last_predicted_duration_ns(job.last_predicted_duration_ns());
  own->set_fast_peak_bytes(
      std::max(own->fast_peak_bytes(), job.fast_peak_bytes()));
  own->set_fallbacks(job.fallbacks());
  ours->set_last_step(theirs.last_step());
}

void MergeEnd(const v1::StoredJob& theirs, v1::StoredJob* ours) {
  if (theirs.job().state() != v1::JOB_STATE_FINISHED ||
      ours->job().state() == v1::JOB_STATE_FINISHED) {
    return;
  }
  ours->mutable_job()->set_state(v1::JOB_STATE_FINISHED);
  *ours->mutable_job()->mutable_finished_at() = theirs.job().finished_at();
}

// The resize with the higher number counts; of one number, what came of it.
void MergeResize(const v1::StoredJob& theirs, v1::StoredJob* ours) {
  const v1::Resize& their_resize = theirs.job().resize();
  const v1::Resize& our_resize = ours->job().resize();
  const bool newer = their_resize.number() > our_resize.number();
  const bool settled = their_resize.number() == our_resize.number() &&
                       IsPending(ours->job()) && !IsPending(theirs.job());
  if (!newer && !settled) return;
  *ours->mutable_job()->mutable_resize() = their_resize;
  ours->set_resize_request_id(theirs.resize_request_id());
  if (their_resize.state() == v1::RESIZE_STATE_OBEYED) {
    ours->mutable_job()->set_fast_limit_bytes(their_resize.fast_limit_bytes());
  }
}

}  // namespace

void MergeNode(const v1::StoredNode& theirs, v1::StoredNode* ours) {
  if (theirs.last_heartbeat_ns() > ours->last_heartbeat_ns()) *ours = theirs;
}

void MergeJob(const v1::StoredJob& theirs, v1::StoredJob* ours) {
  MergeDescription(theirs, ours);
  MergeTelemetry(theirs, ours);
  MergeEnd(theirs, ours);
  MergeResize(theirs, ours);
}

}  // namespace stowage
