#include "agents/jobs/admission/job_share.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/time/time.h"

namespace stowage::agent {
namespace {

// Its client waits a little longer.
constexpr absl::Duration kPatience = absl::Seconds(60);
// Optimizers make their state in the first step.
constexpr int64_t kStepsToSee = 2;
// What a job needs beside its tensors: its window, and room that is lost
// between them.
constexpr int64_t kBesideTensors = 16;
constexpr int64_t kLeastBesideBytes = 16 << 20;

// Returns 2^60 bytes at most: what a job says of its peak may be any number.
int64_t RoundUpToPage(double bytes) {
  const int64_t pages =
      static_cast<int64_t>(std::min(bytes, 0x1p60)) / session::kPageBytes + 1;
  return pages * session::kPageBytes;
}

}  // namespace

std::optional<int64_t> WantedBytes(const session::LimitOrder& limit,
                                   const FastNeed& need) {
  if (need.steps < kStepsToSee || need.tensor_peak_bytes <= 0) {
    return std::nullopt;
  }
  const auto peak = static_cast<double>(need.tensor_peak_bytes);
  if (limit.limit_fraction > 0) {
    return RoundUpToPage(limit.limit_fraction * peak);
  }
  const int64_t all_bytes =
      RoundUpToPage(peak + peak / kBesideTensors + kLeastBesideBytes);
  return limit.limit_bytes > 0 ? std::min(limit.limit_bytes, all_bytes)
                               : all_bytes;
}

FastClaim FirstClaim(const session::Limit& limit, int64_t stated_floor_bytes,
                     int64_t total_bytes) {
  const int64_t want_bytes =
      limit.bytes > 0 ? std::min(limit.bytes, total_bytes) : total_bytes;
  int64_t floor_bytes = limit.bytes > 0 ? want_bytes / 2 : total_bytes / 16;
  if (stated_floor_bytes > 0) floor_bytes = stated_floor_bytes;
  return {.floor_bytes = floor_bytes, .want_bytes = want_bytes};
}

FastClaim ReturningClaim(const JobRequest& request,
                         const session::Report& report, int64_t total_bytes) {
  const bool had_floor = request.floor_bytes <= total_bytes;
  FastClaim claim = FirstClaim(
      request.fast_limit, had_floor ? request.floor_bytes : 0, total_bytes);
  const int64_t limit_bytes =
      report.limit_bytes.load(std::memory_order_relaxed);
  const int64_t had_bytes =
      limit_bytes > 0
          ? limit_bytes
          : report.tensor_peak_bytes.load(std::memory_order_relaxed);
  claim.want_bytes =
      std::min(claim.want_bytes, std::max(had_bytes, claim.floor_bytes));
  return claim;
}

absl::StatusOr<std::unique_ptr<JobShare>> JobShare::Join(
    const JobRequest& request, const session::Report* report,
    int64_t taken_bytes, FastMemory* memory,
    absl::FunctionRef<bool()> is_over) {
  const int64_t total_bytes = memory->total_bytes();
  if (request.comes_back) {
    return std::unique_ptr<JobShare>(new JobShare(
        report, memory->Rejoin(ReturningClaim(request, *report, total_bytes),
                               taken_bytes)));
  }
  const FastClaim claim =
      FirstClaim(request.fast_limit, request.floor_bytes, total_bytes);
  absl::StatusOr<std::unique_ptr<FastShare>> share =
      memory->Join(claim, kPatience, is_over);
  if (!share.ok()) return share.status();
  return std::unique_ptr<JobShare>(new JobShare(report, *std::move(share)));
}

void JobShare::Follow(LimitOrders& orders, AskedCurve& asked_curve) {
  const FastNeed need{
      .steps = static_cast<int64_t>(
          report_->steps.written.load(std::memory_order_relaxed)),
      .tensor_peak_bytes =
          report_->tensor_peak_bytes.load(std::memory_order_relaxed)};
  const auto wanted = WantedBytes(orders.in_force(), need);
  if (wanted.has_value()) share_->Claim(*wanted);
  asked_curve.Ask(share_->ContestedRange());
  if (auto curve = asked_curve.TakeAnswer()) {
    share_->NoteCurve(*std::move(curve));
  }
  if (ordered_.has_value()) {
    const LimitOutcome outcome = orders.OutcomeOf(*ordered_);
    if (outcome.state == LimitOutcome::kAwaited) return;
    if (outcome.state == LimitOutcome::kObeyed) share_->NoteInForce();
    if (outcome.state == LimitOutcome::kRefused) {
      share_->NoteRefused(outcome.least_bytes);
    }
    ordered_.reset();
  }
  if (const auto most_bytes = share_->NextMost()) {
    ordered_ = orders.SetMost(*most_bytes);
    orders.Poll();
  }
}

}  // namespace stowage::agent
