#include "server/training/drift_monitor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "policies/deeptm/dqn/dqn_planner.h"
#include "policies/model/graph_proto.h"
#include "policies/model/memory_system_proto.h"
#include "policies/registry.h"
#include "server/fleet/telemetry_intake.h"
#include "server/graphs/graph_summary.h"
#include "server/placement/verified_plan.h"

namespace stowage {
namespace {

void Scale(double factor, v1::ProfiledDuration* duration) {
  if (duration->source() == v1::DURATION_SOURCE_UNSPECIFIED) return;
  duration->set_duration_ns(
      std::llround(static_cast<double>(duration->duration_ns()) * factor));
  duration->set_source(v1::DURATION_SOURCE_DERIVED);
}

// Returns how long the step takes with everything fast.
double StepNs(const v1::Graph& graph) {
  double total_ns = 0;
  for (const v1::Kernel& kernel : graph.kernels()) {
    total_ns += static_cast<double>(
        kernel.gap_ns() +
        kernel.profile().fast_inputs_fast_outputs().duration_ns());
  }
  return total_ns;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

v1::Graph ScaleDurations(v1::Graph graph, double factor) {
  for (v1::Kernel& kernel : *graph.mutable_kernels()) {
    kernel.set_gap_ns(
        std::llround(static_cast<double>(kernel.gap_ns()) * factor));
    v1::KernelProfile* profile = kernel.mutable_profile();
    for (v1::ProfiledDuration* duration :
         {profile->mutable_fast_inputs_fast_outputs(),
          profile->mutable_fast_inputs_slow_outputs(),
          profile->mutable_slow_inputs_fast_outputs(),
          profile->mutable_slow_inputs_slow_outputs()}) {
      Scale(factor, duration);
    }
  }
  return graph;
}

bool DriftMonitor::IsDrift(double factor) const {
  return threshold_ > 0 && factor > 0 && std::abs(factor - 1) > threshold_;
}

std::optional<double> DriftMonitor::Add(const v1::StepTelemetry& step) {
  absl::MutexLock lock(&mutex_);
  // Jobs that have ended stay in the map, which is cleared when they are too
  // many.
  if (windows_.size() > JobRegistry::kMaxJobs) windows_.clear();
  Window& window = windows_[step.job_id()];
  if (window.predicted_duration_ns != step.predicted_duration_ns()) {
    window = {.predicted_duration_ns = step.predicted_duration_ns()};
  }
  window.ratios.push_back(static_cast<double>(step.duration_ns()) /
                          static_cast<double>(step.predicted_duration_ns()));
  if (window.ratios.size() < kWindowSteps) return std::nullopt;
  const double ratio = Median(std::exchange(window.ratios, {}));
  const bool is_drift = IsDrift(ratio / window.baseline);
  on_compared_(DriftKind::kSteps, ratio, is_drift);
  if (!is_drift) return std::nullopt;
  window.baseline = ratio;
  return ratio;
}

void DriftMonitor::NoteStep(const v1::StepTelemetry& step) {
  if (threshold_ <= 0 || !IsAsPlanned(step)) return;
  const std::optional<double> ratio = Add(step);
  if (!ratio.has_value()) return;
  const auto predicted_ns = static_cast<double>(step.predicted_duration_ns());
  FollowSteps(step.job_id(), *ratio * predicted_ns).IgnoreError();
}

absl::Status DriftMonitor::FollowSteps(const std::string& job_id,
                                       double measured_ns) {
  const absl::StatusOr<v1::Job> job = jobs_->Get(job_id, absl::Now());
  if (!job.ok()) return job.status();
  if (!policies::CapabilitiesOf(job->policy()).needs_training) {
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<DqnVersion>> serving =
      trainings_->ListServing(job->graph_id());
  if (!serving.ok()) return serving.status();
  const auto version = std::find_if(
      serving->begin(), serving->end(), [&](const DqnVersion& one) {
        return one.info.fast_limit_bytes() == job->fast_limit_bytes();
      });
  if (version == serving->end()) return absl::OkStatus();
  return UpdateProfile(*version, measured_ns);
}

// Scales the profile, unless it already knows what the job's plan did not.
absl::Status DriftMonitor::UpdateProfile(const DqnVersion& version,
                                         double measured_ns) {
  absl::StatusOr<v1::Graph> profile =
      graphs_->GetGraph(version.info.graph_id());
  if (!profile.ok()) return profile.status();
  const absl::StatusOr<policies::Graph> graph =
      policies::GraphFromProto(*profile);
  if (!graph.ok()) return graph.status();
  const absl::StatusOr<policies::MemorySystem> system =
      policies::MemorySystemFromProto(version.system);
  if (!system.ok()) return system.status();
  const absl::StatusOr<policies::DqnPolicy> policy =
      policies::DecodeDqnPolicy(version.policy);
  if (!policy.ok()) return policy.status();
  const absl::StatusOr<policies::Plan> plan =
      MakeVerifiedPlan(*graph, *system, *policies::MakeDeepTmPolicy(*policy),
                       {.fast_limit_bytes = policy->fast_limit_bytes});
  if (!plan.ok()) return plan.status();
  const double factor =
      measured_ns / static_cast<double>(plan->prediction.step_time_ns);
  if (!IsDrift(factor)) return absl::OkStatus();
  absl::Status stored =
      graphs_
          ->PutGraph(Summarize(*graph),
                     ScaleDurations(*std::move(profile), factor),
                     /*request_id=*/"")
          .status();
  return stored.ok() ? Retrain(version) : stored;
}

void DriftMonitor::NoteProfile(absl::string_view graph_id,
                               const v1::Graph& before,
                               const v1::Graph& after) {
  const double before_ns = StepNs(before);
  if (threshold_ <= 0 || before_ns <= 0) return;
  const double ratio = StepNs(after) / before_ns;
  const bool is_drift = IsDrift(ratio);
  on_compared_(DriftKind::kProfile, ratio, is_drift);
  if (!is_drift) return;
  const absl::StatusOr<std::vector<DqnVersion>> serving =
      trainings_->ListServing(graph_id);
  if (!serving.ok()) return;
  for (const DqnVersion& version : *serving) Retrain(version).IgnoreError();
}

absl::Status DriftMonitor::Retrain(const DqnVersion& version) {
  v1::StartTrainingRequest request;
  {
    absl::MutexLock lock(&mutex_);
    request.set_request_id(absl::StrCat(
        "drift-", absl::ToUnixMillis(absl::Now()), "-", ++retrained_));
  }
  request.set_graph_id(version.info.graph_id());
  *request.mutable_system() = version.system;
  request.set_fast_limit_bytes(version.info.fast_limit_bytes());
  request.set_start_policy(version.policy);
  return manager_->Start(std::move(request)).status();
}

}  // namespace stowage
