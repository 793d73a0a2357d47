// Compares the measurements of jobs with the predictions, and retrains on
// drift.
//
//   DriftMonitor drift(&graphs, &trainings, &manager, &jobs, 0.2);
//   drift.NoteStep(step);                 // each step of telemetry
//   drift.NoteProfile(graph_id, before, after);   // a profile was replaced
//
// Steps that a plan drove through are looked at in windows. When the median of
// measured over predicted duration of a window is off by more than the
// threshold from where it was, and a DQN policy serves the job, the durations
// of the graph's profile are scaled so that they tell what was measured.
// Telemetry says how long steps take, not kernels: the profile keeps its
// proportions, and its durations count as derived from then on. A profile that
// a job has measured anew tells more, and needs no scaling.
//
// Either way a training begins from the last weights. Whatever comes of it is
// judged on the new profile and promoted only if it is better.
#ifndef STOWAGE_SERVER_TRAINING_DRIFT_MONITOR_H_
#define STOWAGE_SERVER_TRAINING_DRIFT_MONITOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "server/fleet/job_registry.h"
#include "server/graphs/graph_store.h"
#include "server/training/training_manager.h"
#include "server/training/training_store.h"
#include "stowage/v1/graph.pb.h"
#include "stowage/v1/node.pb.h"

namespace stowage {

// Multiplies every known duration and gap by `factor` and marks them as
// derived.
v1::Graph ScaleDurations(v1::Graph graph, double factor);

// Thread-safe. Owns none of the pointers; all must outlive it. A retraining
// that cannot begin (a full queue, a database that is away) is left out, and
// the serving version remains.
class DriftMonitor {
 public:
  static constexpr int kWindowSteps = 16;

  // `threshold` as a share: 0.2 is 20 %; 0: never.
  DriftMonitor(GraphStore* graphs, TrainingStore* trainings,
               TrainingManager* manager, const JobRegistry* jobs,
               double threshold)
      : graphs_(graphs),
        trainings_(trainings),
        manager_(manager),
        jobs_(jobs),
        threshold_(threshold) {}

  // Takes in a measured step, once. When a window shows drift it blocks on the
  // database and while a plan is made.
  void NoteStep(const v1::StepTelemetry& step);

  // Call it when the stored profile of a graph was replaced. Blocks on the
  // database when its kernels take another time together.
  void NoteProfile(absl::string_view graph_id, const v1::Graph& before,
                   const v1::Graph& after);

 private:
  // Of one job.
  struct Window {
    int64_t predicted_duration_ns = 0;
    double baseline = 1;  // measured over predicted, as it was last
    std::vector<double> ratios;
  };

  bool IsDrift(double factor) const;
  // Measured over predicted duration, when a window that shows drift is
  // complete.
  std::optional<double> Add(const v1::StepTelemetry& step);
  absl::Status FollowSteps(const std::string& job_id, double measured_ns);
  absl::Status UpdateProfile(const DqnVersion& version, double measured_ns);
  absl::Status Retrain(const DqnVersion& version);

  GraphStore* const graphs_;
  TrainingStore* const trainings_;
  TrainingManager* const manager_;
  const JobRegistry* const jobs_;
  const double threshold_;
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Window> windows_ ABSL_GUARDED_BY(mutex_);
  int64_t retrained_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_DRIFT_MONITOR_H_
