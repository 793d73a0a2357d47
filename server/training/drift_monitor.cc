#include "server/training/drift_monitor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "policies/deeptm/dqn_planner.h"
#include "policies/model/graph_proto.h"
#include "server/graphs/graph_summary.h"

namespace stowage {
namespace {

void Scale(double factor, v1::ProfiledDuration* duration) {
  if (duration->source() == v1::DURATION_SOURCE_UNSPECIFIED) return;
  duration->set_duration_ns(
      std::llround(static_cast<double>(duration->duration_ns()) * factor));
  duration->set_source(v1::DURATION_SOURCE_DERIVED);
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

std::optional<double> DriftMonitor::Add(const v1::StepTelemetry& step) {
  absl::MutexLock lock(&mutex_);
  // Jobs that ended stay in the map; it goes when there are too many.
  if (windows_.size() > JobRegistry::kMaxJobs) windows_.clear();
  Window& window = windows_[step.job_id()];
  if (window.predicted_duration_ns != step.predicted_duration_ns()) {
    window = {.predicted_duration_ns = step.predicted_duration_ns()};
  }
  window.ratios.push_back(static_cast<double>(step.duration_ns()) /
                          static_cast<double>(step.predicted_duration_ns()));
  if (window.ratios.size() < kWindowSteps) return std::nullopt;
  const double ratio = Median(std::exchange(window.ratios, {}));
  const double factor = ratio / window.baseline;
  if (ratio <= 0 || std::abs(factor - 1) <= threshold_) return std::nullopt;
  window.baseline = ratio;
  return factor;
}

void DriftMonitor::Note(const v1::StepTelemetry& step) {
  if (threshold_ <= 0 || step.mode() != v1::STEP_MODE_PLAN ||
      step.fallbacks() > 0 || step.predicted_duration_ns() <= 0) {
    return;
  }
  const std::optional<double> factor = Add(step);
  // A retraining that cannot begin (a full queue, a database that is away) is
  // tried again by the next drift; what serves goes on serving.
  if (factor.has_value()) Retrain(step.job_id(), *factor).IgnoreError();
}

absl::Status DriftMonitor::Retrain(const std::string& job_id, double factor) {
  const absl::StatusOr<v1::Job> job = jobs_->Get(job_id, absl::Now());
  if (!job.ok()) return job.status();
  if (job->policy() != kDeepTmPolicyName) return absl::OkStatus();
  absl::StatusOr<std::vector<DqnVersion>> serving =
      trainings_->ListServing(job->graph_id());
  if (!serving.ok()) return serving.status();
  const auto version = std::find_if(
      serving->begin(), serving->end(), [&](const DqnVersion& one) {
        return one.info.fast_limit_bytes() == job->fast_limit_bytes();
      });
  if (version == serving->end()) return absl::OkStatus();

  absl::StatusOr<v1::Graph> profile = graphs_->GetGraph(job->graph_id());
  if (!profile.ok()) return profile.status();
  const v1::Graph scaled = ScaleDurations(*std::move(profile), factor);
  const absl::StatusOr<Graph> graph = GraphFromProto(scaled);
  if (!graph.ok()) return graph.status();
  absl::Status stored =
      graphs_->PutGraph(Summarize(*graph), scaled, /*request_id=*/"").status();
  if (!stored.ok()) return stored;

  v1::StartTrainingRequest request;
  {
    absl::MutexLock lock(&mutex_);
    request.set_request_id(absl::StrCat(
        "drift-", absl::ToUnixMillis(absl::Now()), "-", ++retrained_));
  }
  request.set_graph_id(job->graph_id());
  *request.mutable_system() = version->system;
  request.set_fast_limit_bytes(job->fast_limit_bytes());
  request.set_start_policy(version->policy);
  return manager_->Start(std::move(request)).status();
}

}  // namespace stowage
