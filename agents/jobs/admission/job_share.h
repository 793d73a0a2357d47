// Keeps one job within its part of the host's fast memory.
//
//   absl::StatusOr<std::unique_ptr<JobShare>> share =
//       JobShare::Join(request, &segment->report, /*taken_bytes=*/0,
//                      &fast_memory, is_over);
//   const session::LimitOrder first =
//       OrderOf(request.fast_limit, (*share)->first_most_bytes());
//   (*share)->Follow(orders, asked_curve);  // every 50 ms or so
#ifndef STOWAGE_AGENTS_JOBS_ADMISSION_JOB_SHARE_H_
#define STOWAGE_AGENTS_JOBS_ADMISSION_JOB_SHARE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "agents/jobs/admission/hello.h"
#include "agents/jobs/planning/asked_curve.h"
#include "agents/jobs/records/limit_orders.h"
#include "agents/sharing/fast_memory.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {

// What a job uses, as it reports it.
struct FastNeed {
  int64_t steps = 0;  // that have ended
  int64_t tensor_peak_bytes = 0;
};

// Returns the most fast memory that a job under this limit can use; nullopt
// while its steps have not shown it. `limit` is never exceeded. Pure.
std::optional<int64_t> WantedBytes(const session::LimitOrder& limit,
                                   const FastNeed& need);

// Returns what a job claims before its steps have shown anything: as a floor
// what it states, else half of a limit in bytes, else a 16th of the total. Pure.
FastClaim FirstClaim(const session::Limit& limit, int64_t stated_floor_bytes,
                     int64_t total_bytes);

// Returns what a job claims that comes back. It wants what it had, as it reports
// it, or its floor; its steps show what more it needs. An agent has let it in
// with its floor, so one above the total is none that it had, and counts as not
// stated. Pure.
FastClaim ReturningClaim(const JobRequest& request,
                         const session::Report& report, int64_t total_bytes);

// Used by one thread. Pointers must outlive it.
class JobShare {
 public:
  // `taken_bytes` are those that the host has given to the job's arena in fast
  // memory: what a job that comes back says that it has counts no further,
  // unless it is free. Errors and blocking are those of FastMemory::Join().
  static absl::StatusOr<std::unique_ptr<JobShare>> Join(
      const JobRequest& request, const session::Report* report,
      int64_t taken_bytes, FastMemory* memory,
      absl::FunctionRef<bool()> is_over);

  // Returns what the job may have to begin with; 0: no bound.
  int64_t first_most_bytes() const { return share_->first_most_bytes(); }

  // Claims what the job needs by now, asks what more memory is worth to it where
  // that matters, and orders it to have more or less where its part has changed.
  // Does not block.
  void Follow(LimitOrders& orders, AskedCurve& asked_curve);

 private:
  JobShare(const session::Report* report, std::unique_ptr<FastShare> share)
      : report_(report), share_(std::move(share)) {}

  const session::Report* const report_;
  const std::unique_ptr<FastShare> share_;
  std::optional<uint64_t> ordered_;  // that the job has not answered
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_ADMISSION_JOB_SHARE_H_
