#include "tools/stowage/run/resize_at_service.h"

#include <iostream>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client_sdk/cpp/client.h"
#include "client_sdk/session/resize.h"
#include "tools/stowage/inputs/service_client.h"

namespace stowage::cli {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(5);
constexpr absl::Duration kLookAgain = absl::Milliseconds(200);
constexpr absl::Duration kTell = absl::Seconds(3);
constexpr absl::Duration kPatience =
    absl::Nanoseconds(session::kResizePatienceNs);

bool IsPending(const v1::Job& job) {
  return job.resize().state() == v1::RESIZE_STATE_PENDING;
}

// Returns an error if there is nothing to wait for any more.
absl::Status CheckStillAwaited(const v1::Job& job, int64_t number) {
  if (job.resize().number() != number) {
    return absl::FailedPreconditionError(absl::StrCat(
        "somebody asked for another limit of job '", job.job_id(),
        "' meanwhile, or the service has restarted; `stowage status` shows the "
        "limit"));
  }
  if (job.state() == v1::JOB_STATE_LOST) {
    return absl::UnavailableError(absl::StrCat(
        "node '", job.node(), "' of job '", job.job_id(),
        "' has fallen silent; the job is told when its agent is back"));
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::Resize> Await(Client& client, v1::Job job) {
  const int64_t number = job.resize().number();
  const absl::Time start = absl::Now();
  bool told = false;
  while (IsPending(job) && absl::Now() < start + kPatience) {
    if (!told && absl::Now() >= start + kTell) {
      std::cerr << "stowage: waiting for the job to end its step\n";
      told = true;
    }
    absl::SleepFor(kLookAgain);
    absl::StatusOr<v1::Job> now = client.GetJob(job.job_id());
    if (!now.ok()) return now.status();
    job = *std::move(now);
    const absl::Status awaited = CheckStillAwaited(job, number);
    if (!awaited.ok()) return awaited;
  }
  return job.resize();
}

}  // namespace

absl::StatusOr<v1::Resize> ResizeAtService(const std::string& address,
                                           const std::string& job_id,
                                           const session::Limit& limit) {
  absl::StatusOr<std::unique_ptr<Client>> client = ConnectToService(
      address, {.connect_timeout = kTimeout, .deadline = kTimeout});
  if (!client.ok()) return client.status();
  v1::ResizeJobRequest request;
  request.set_job_id(job_id);
  request.set_fast_limit_bytes(limit.bytes);
  request.set_fast_limit_fraction(limit.fraction);
  absl::StatusOr<v1::Job> job = (*client)->ResizeJob(request);
  if (absl::IsNotFound(job.status())) {
    // As an agent that does not have the job.
    return absl::FailedPreconditionError(job.status().message());
  }
  if (!job.ok()) return job.status();
  return Await(**client, *std::move(job));
}

}  // namespace stowage::cli
