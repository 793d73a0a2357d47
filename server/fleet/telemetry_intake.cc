#include "server/fleet/telemetry_intake.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage {
namespace {

absl::Status ValidateStep(int index, const v1::StepTelemetry& step) {
  const size_t id_bytes = step.job_id().size();
  if (id_bytes == 0 || id_bytes > JobRegistry::kMaxIdBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "steps[", index, "].job_id has ", id_bytes,
        " bytes; name the job in 1 to ", JobRegistry::kMaxIdBytes));
  }
  const std::pair<absl::string_view, int64_t> fields[] = {
      {"index", step.index()},
      {"duration_ns", step.duration_ns()},
      {"predicted_duration_ns", step.predicted_duration_ns()},
      {"stall_ns", step.stall_ns()},
      {"fast_peak_bytes", step.fast_peak_bytes()},
      {"moved_in_bytes", step.moved_in_bytes()},
      {"moved_out_bytes", step.moved_out_bytes()},
      {"fallbacks", step.fallbacks()},
      {"hints_taken", step.hints_taken()},
      {"hints_ignored", step.hints_ignored()},
  };
  for (const auto& [field, value] : fields) {
    if (value < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "steps[", index, "].", field, " is ", value, "; send 0 or more"));
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateBatch(const v1::TelemetryBatch& batch) {
  if (batch.sequence() < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "sequence is ", batch.sequence(), "; count batches from 1"));
  }
  if (batch.dropped_steps() < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "dropped_steps is ", batch.dropped_steps(), "; send 0 or more"));
  }
  for (int i = 0; i < batch.steps_size(); ++i) {
    absl::Status valid = ValidateStep(i, batch.steps(i));
    if (!valid.ok()) return valid;
  }
  return absl::OkStatus();
}

void Add(const v1::StepTelemetry& step, TelemetryTotals* totals) {
  // A mode of a newer agent counts as unspecified.
  const int mode = v1::StepMode_IsValid(step.mode())
                       ? step.mode()
                       : v1::STEP_MODE_UNSPECIFIED;
  totals->steps[mode] += 1;
  totals->fallbacks += step.fallbacks();
  totals->hints_taken += static_cast<double>(step.hints_taken());
  totals->hints_ignored += static_cast<double>(step.hints_ignored());
  totals->moved_in_bytes += static_cast<double>(step.moved_in_bytes());
  totals->moved_out_bytes += static_cast<double>(step.moved_out_bytes());
}

}  // namespace

TelemetryIntake::TelemetryIntake(const NodeRegistry* nodes, JobRegistry* jobs,
                                 StepObserver on_step)
    : nodes_(nodes), jobs_(jobs), on_step_(std::move(on_step)) {}

absl::StatusOr<TelemetryTotals> TelemetryIntake::Accept(
    const v1::TelemetryBatch& batch, absl::Time now) {
  if (!nodes_->Knows(batch.node())) {
    return absl::NotFoundError(
        absl::StrCat("no node '", batch.node(), "'; register it first"));
  }
  if (absl::Status valid = ValidateBatch(batch); !valid.ok()) return valid;
  TelemetryTotals totals;
  if (batch.sequence() <= last_sequence_) return totals;
  last_sequence_ = batch.sequence();
  totals.dropped_steps = static_cast<double>(batch.dropped_steps());
  for (const v1::StepTelemetry& step : batch.steps()) {
    jobs_->RecordStep(batch.node(), step, now);
    Add(step, &totals);
    on_step_(step);
  }
  return totals;
}

}  // namespace stowage
