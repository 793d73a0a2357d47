// Compares what jobs measure with the predictions, and retrains when they drift
// apart.
//
//   DriftMonitor drift(&graphs, &trainings, &manager, &jobs, 0.2);
//   drift.NoteStep(step);                 // each step of telemetry
//   drift.NoteProfile(graph_id, before, after);   // a profile was replaced
//
// The monitor looks at windows of steps that a plan drove to their end, and at
// the median of measured over predicted duration in each window. If the median
// has moved by more than the threshold and a DQN policy serves the job, the
// monitor scales the durations of the graph's profile to what was measured.
// Telemetry tells how long steps take and not how long kernels take, so the
// profile keeps its proportions, and its durations count as derived from then
// on. A profile that a job has measured anew tells more and is not scaled.
//
// In both cases a training begins from the last weights. The new policy is
// judged on the new profile, and promoted only if it is better.
#ifndef STOWAGE_SERVER_TRAINING_DRIFT_MONITOR_H_
#define STOWAGE_SERVER_TRAINING_DRIFT_MONITOR_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
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

// Returns the graph with every known duration and gap multiplied by `factor`
// and marked as derived.
v1::Graph ScaleDurations(v1::Graph graph, double factor);

// What shows drift: steps that take another time than was predicted, or a
// profile whose kernels take another time than those of the one before.
enum class DriftKind { kSteps, kProfile };

// Thread-safe. Owns none of the pointers; all must outlive it. If a training
// cannot begin, because the queue is full or the database is away, there is
// none, and the serving version remains.
class DriftMonitor {
 public:
  static constexpr int kWindowSteps = 16;

  // Takes each ratio that was compared: measured over predicted duration of a
  // window of steps, or new over old duration of a profile. Must neither block
  // nor call the monitor.
  using OnCompared =
      std::function<void(DriftKind kind, double ratio, bool is_drift)>;

  // `threshold` is a share: 0.2 is 20 %; with 0 nothing is compared.
  DriftMonitor(
      GraphStore* graphs, TrainingStore* trainings, TrainingManager* manager,
      const JobRegistry* jobs, double threshold,
      OnCompared on_compared = [](auto...) {})
      : graphs_(graphs),
        trainings_(trainings),
        manager_(manager),
        jobs_(jobs),
        on_compared_(std::move(on_compared)),
        threshold_(threshold) {}

  // Sets the threshold for what is noted from now on.
  void SetThreshold(double threshold) { threshold_ = threshold; }

  // Takes in a measured step, once. If a window shows drift, blocks on the
  // database and while a plan is made.
  void NoteStep(const v1::StepTelemetry& step);

  // Notes that the stored profile of a graph was replaced. If its kernels
  // together take another time, blocks on the database.
  void NoteProfile(absl::string_view graph_id, const v1::Graph& before,
                   const v1::Graph& after);

 private:
  // The window of one job.
  struct Window {
    int64_t predicted_duration_ns = 0;
    double baseline = 1;  // the last measured over predicted duration
    std::vector<double> ratios;
  };

  bool IsDrift(double factor) const;
  // Adds a step to its job's window. Returns measured over predicted duration
  // if the window is complete and shows drift.
  std::optional<double> Add(const v1::StepTelemetry& step);
  absl::Status FollowSteps(const std::string& job_id, double measured_ns);
  absl::Status UpdateProfile(const DqnVersion& version, double measured_ns);
  absl::Status Retrain(const DqnVersion& version);

  GraphStore* const graphs_;
  TrainingStore* const trainings_;
  TrainingManager* const manager_;
  const JobRegistry* const jobs_;
  const OnCompared on_compared_;
  std::atomic<double> threshold_;
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Window> windows_ ABSL_GUARDED_BY(mutex_);
  int64_t retrained_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_DRIFT_MONITOR_H_
