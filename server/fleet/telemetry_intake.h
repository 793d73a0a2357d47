// Takes in the telemetry of one stream. It tells new steps from old ones,
// passes the new ones to the jobs and sums them up. Batches are within the
// bounds of their proto.
//
//   TelemetryIntake intake(&nodes, &jobs);
//   absl::StatusOr<TelemetryTotals> totals = intake.Accept(batch, absl::Now());
//   if (totals.ok()) Acknowledge(batch.sequence());
#ifndef STOWAGE_SERVER_FLEET_TELEMETRY_INTAKE_H_
#define STOWAGE_SERVER_FLEET_TELEMETRY_INTAKE_H_

#include <array>
#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/fleet/job_registry.h"
#include "server/fleet/node_registry.h"
#include "stowage/v1/node.pb.h"

namespace stowage {

// Holds what one batch adds. The fields are doubles, as counters are, so that
// sums of what strangers report cannot overflow.
struct TelemetryTotals {
  std::array<double, v1::StepMode_ARRAYSIZE> steps = {};  // by StepMode
  // The time that those took.
  std::array<double, v1::StepMode_ARRAYSIZE> step_seconds = {};
  double stall_seconds = 0;
  double fallbacks = 0;
  std::array<double, v1::PlanSkip_ARRAYSIZE> skipped_plans = {};  // by PlanSkip
  double hints_taken = 0;
  double hints_ignored = 0;
  double dropped_steps = 0;
  double repeated_steps = 0;
  double moved_in_bytes = 0;
  double moved_out_bytes = 0;
};

// Returns whether a plan drove the step to its end, so that its prediction says
// what it should have taken.
bool IsAsPlanned(const v1::StepTelemetry& step);

// Make one per stream. Not thread-safe. Holds the last sequence number alone,
// so that memory does not grow with the stream. Does not own the registries,
// which must outlive it.
class TelemetryIntake {
 public:
  using StepObserver = std::function<void(const v1::StepTelemetry&)>;

  // Calls `on_step` for each step that it takes in, and not for those that were
  // sent before.
  TelemetryIntake(
      const NodeRegistry* nodes, JobRegistry* jobs,
      StepObserver on_step = [](const auto&) {});

  // Takes in a batch and returns what it adds. A batch that was accepted
  // before, whose sequence number does not exceed the last one, adds nothing; a
  // step whose index does not exceed its job's last one adds to
  // `repeated_steps` alone. Takes nothing in on an error. NOT_FOUND: the node
  // is not known. INVALID_ARGUMENT: the steps of a job do not ascend, or a job
  // belongs to another node.
  absl::StatusOr<TelemetryTotals> Accept(const v1::TelemetryBatch& batch,
                                         absl::Time now);

 private:
  absl::Status CheckSteps(const v1::TelemetryBatch& batch) const;

  const NodeRegistry* const nodes_;
  JobRegistry* const jobs_;
  const StepObserver on_step_;
  int64_t last_sequence_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_FLEET_TELEMETRY_INTAKE_H_
