// Counts how DQN policies are trained, and when they have to be trained again.
//
//   LearningMetrics learning(*metrics.registry());
//   learning.CountEpisode(episode);
//   learning.CountVersion(version);
//   learning.NoteDrift(DriftKind::kSteps, /*ratio=*/1.4, /*is_drift=*/true);
#ifndef STOWAGE_SERVER_METRICS_LEARNING_METRICS_H_
#define STOWAGE_SERVER_METRICS_LEARNING_METRICS_H_

#include <array>

#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/registry.h"
#include "server/training/drift_monitor.h"
#include "stowage/v1/training.pb.h"

namespace stowage {

// Thread-safe. Does not own the registry, which must outlive it.
class LearningMetrics {
 public:
  explicit LearningMetrics(prometheus::Registry& registry);

  // These count an episode of a training, and a training that has ended.
  void CountEpisode(const v1::Episode& episode);
  void CountTraining(v1::TrainingState state);

  // Counts a version that a training has made and, if it serves, its promotion.
  void CountVersion(const v1::PolicyVersion& version);
  // These count what an operator has asked for.
  void CountPromotion() { promotions_.Increment(); }
  void CountRollBack() { roll_backs_.Increment(); }

  // Notes a comparison of the drift monitor.
  void NoteDrift(DriftKind kind, double ratio, bool is_drift);

 private:
  struct DriftSeries {
    prometheus::Counter* drifts = nullptr;
    prometheus::Gauge* last_ratio = nullptr;
  };

  prometheus::Family<prometheus::Counter>& trainings_;
  prometheus::Counter& episodes_;
  prometheus::Gauge& last_reward_;
  prometheus::Gauge& last_loss_;
  prometheus::Family<prometheus::Counter>& versions_;
  prometheus::Counter& promotions_;
  prometheus::Counter& roll_backs_;
  std::array<DriftSeries, 2> drift_;  // by DriftKind
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_METRICS_LEARNING_METRICS_H_
