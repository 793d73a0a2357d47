// Tells Prometheus of each job that runs. The series of a job begin and end with
// it. docs/reference-agent.md lists them.
//
//   auto jobs = std::make_shared<JobSeries>();
//   jobs->SetLimit(step.job_id(), 20 << 20);
//   jobs->CountStep(step);
//   HttpPage page = MetricsPage({jobs});
#ifndef STOWAGE_AGENTS_METRICS_JOB_SERIES_H_
#define STOWAGE_AGENTS_METRICS_JOB_SERIES_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/synchronization/mutex.h"
#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"
#include "stowage/v1/node.pb.h"

namespace stowage::agent {

// What is known of a job. Sums are of the steps that its agent was told of.
struct JobSums {
  int64_t fast_limit_bytes = 0;  // 0: none, or not known yet
  v1::StepTelemetry last_step;
  std::array<double, v1::StepMode_ARRAYSIZE> steps = {};  // by mode
  double duration_s = 0;
  double stall_s = 0;
  double moved_in_bytes = 0;
  double moved_out_bytes = 0;
};

// Thread-safe. There are as many jobs as have begun and not ended, of which an
// agent serves 256 at a time. What jobs say of their steps is taken as they say
// it.
class JobSeries final : public prometheus::Collectable {
 public:
  // Begins a job, or changes the limit of one that has begun. 0: none, or not
  // known yet.
  void SetLimit(const std::string& job_id, int64_t fast_limit_bytes);
  // Ignores steps of jobs that have not begun, or have ended.
  void CountStep(const v1::StepTelemetry& step);
  void End(const std::string& job_id);

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  mutable absl::Mutex mutex_;
  absl::btree_map<std::string, JobSums> jobs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_METRICS_JOB_SERIES_H_
