#include "agents/jobs/records/step_reader.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace stowage::agent {
namespace {

constexpr uint64_t kMostSteps = 1024;

bool IsPlausible(const session::StepRecord& step) {
  return step.mode >= session::kStepDemand && step.mode <= session::kStepPlan &&
         std::min({step.index, step.duration_ns, step.predicted.step_ns,
                   step.stall_ns, step.fast_peak_bytes, step.moved_in_bytes,
                   step.moved_out_bytes, step.hints_taken, step.hints_ignored,
                   step.plan_median_ns}) >= 0 &&
         step.plan_skip <= session::kDemandTrial;
}

v1::StepTelemetry ToTelemetry(const session::StepRecord& step,
                              const std::string& job_id) {
  v1::StepTelemetry out;
  out.set_job_id(job_id);
  out.set_index(step.index);
  // The enumerations have equal numbers.
  out.set_mode(static_cast<v1::StepMode>(step.mode));
  out.set_plan_skip(static_cast<v1::PlanSkip>(step.plan_skip));
  out.set_plan_median_ns(step.plan_median_ns);
  out.set_duration_ns(step.duration_ns);
  out.set_predicted_duration_ns(step.predicted.step_ns);
  out.set_stall_ns(step.stall_ns);
  out.set_fast_peak_bytes(step.fast_peak_bytes);
  out.set_moved_in_bytes(step.moved_in_bytes);
  out.set_moved_out_bytes(step.moved_out_bytes);
  out.set_hints_taken(step.hints_taken);
  out.set_hints_ignored(step.hints_ignored);
  out.set_fallbacks(static_cast<int32_t>(step.fallbacks & 0x7fffffff));
  return out;
}

static_assert(int{session::kStepDemand} == int{v1::STEP_MODE_DEMAND});
static_assert(int{session::kStepProfile} == int{v1::STEP_MODE_PROFILE});
static_assert(int{session::kStepPlan} == int{v1::STEP_MODE_PLAN});
static_assert(int{session::kPlanNotSkipped} == int{v1::PLAN_SKIP_UNSPECIFIED});
static_assert(int{session::kDemandFaster} == int{v1::PLAN_SKIP_DEMAND_FASTER});
static_assert(int{session::kDemandTrial} == int{v1::PLAN_SKIP_DEMAND_TRIAL});

}  // namespace

std::vector<v1::StepTelemetry> StepReader::Read() {
  const uint64_t written = log_->written.load(std::memory_order_acquire);
  std::vector<v1::StepTelemetry> steps;
  if (written <= read_) return steps;
  if (written - read_ > session::kStepEntries) {
    read_ = written - session::kStepEntries;
  }
  const uint64_t end = std::min(written, read_ + kMostSteps);
  for (; read_ < end; ++read_) {
    session::StepRecord step;
    std::memcpy(&step, &log_->entries[read_ % session::kStepEntries],
                sizeof(step));
    if (IsPlausible(step)) steps.push_back(ToTelemetry(step, job_id_));
  }
  return steps;
}

}  // namespace stowage::agent
