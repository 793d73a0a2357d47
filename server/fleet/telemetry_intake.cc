#include "server/fleet/telemetry_intake.h"

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage {
namespace {

double Seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

void Add(const v1::StepTelemetry& step, TelemetryTotals* totals) {
  // A mode of a newer agent counts as unspecified.
  const int mode = v1::StepMode_IsValid(step.mode())
                       ? step.mode()
                       : v1::STEP_MODE_UNSPECIFIED;
  totals->steps[mode] += 1;
  totals->step_seconds[mode] += Seconds(step.duration_ns());
  totals->stall_seconds += Seconds(step.stall_ns());
  totals->fallbacks += step.fallbacks();
  if (v1::PlanSkip_IsValid(step.plan_skip())) {
    totals->skipped_plans[step.plan_skip()] += 1;
  }
  totals->hints_taken += static_cast<double>(step.hints_taken());
  totals->hints_ignored += static_cast<double>(step.hints_ignored());
  totals->moved_in_bytes += static_cast<double>(step.moved_in_bytes());
  totals->moved_out_bytes += static_cast<double>(step.moved_out_bytes());
}

}  // namespace

bool IsAsPlanned(const v1::StepTelemetry& step) {
  return step.mode() == v1::STEP_MODE_PLAN && step.fallbacks() == 0 &&
         step.predicted_duration_ns() > 0;
}

TelemetryIntake::TelemetryIntake(const NodeRegistry* nodes, JobRegistry* jobs,
                                 StepObserver on_step)
    : nodes_(nodes), jobs_(jobs), on_step_(std::move(on_step)) {}

absl::Status TelemetryIntake::CheckSteps(
    const v1::TelemetryBatch& batch) const {
  absl::flat_hash_map<absl::string_view, int64_t> last_steps;
  for (int i = 0; i < batch.steps_size(); ++i) {
    const v1::StepTelemetry& step = batch.steps(i);
    const auto [last, first] = last_steps.try_emplace(step.job_id(), -1);
    if (first && !jobs_->IsJobOf(batch.node(), step.job_id())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "steps[", i, "].job_id is '", step.job_id(),
          "', a job of another node; send those of '", batch.node(), "'"));
    }
    if (step.index() <= last->second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "steps[", i, "].index is ", step.index(), " after ", last->second,
          "; send the steps of a job in ascending order"));
    }
    last->second = step.index();
  }
  return absl::OkStatus();
}

absl::StatusOr<TelemetryTotals> TelemetryIntake::Accept(
    const v1::TelemetryBatch& batch, absl::Time now) {
  if (!nodes_->Knows(batch.node())) {
    return absl::NotFoundError(
        absl::StrCat("no node '", batch.node(), "'; register it first"));
  }
  if (absl::Status valid = CheckSteps(batch); !valid.ok()) return valid;
  TelemetryTotals totals;
  if (batch.sequence() <= last_sequence_) return totals;
  last_sequence_ = batch.sequence();
  totals.dropped_steps = static_cast<double>(batch.dropped_steps());
  for (const v1::StepTelemetry& step : batch.steps()) {
    if (jobs_->RecordStep(batch.node(), step, now) == StepOutcome::kRepeated) {
      totals.repeated_steps += 1;
      continue;
    }
    Add(step, &totals);
    on_step_(step);
  }
  // The batch was sent on another stream before, and was counted then.
  const bool repeated =
      totals.repeated_steps > 0 && totals.repeated_steps == batch.steps_size();
  if (repeated) totals.dropped_steps = 0;
  return totals;
}

}  // namespace stowage
