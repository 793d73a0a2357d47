#include "server/metrics/learning_metrics.h"

#include "server/metrics/families.h"

namespace stowage {
namespace {

// Labels by TrainingState; empty: no training ends in this state.
constexpr std::array<const char*, v1::TrainingState_ARRAYSIZE> kStateLabels = {
    "", "", "", "succeeded", "cancelled", "failed"};

// Labels by whether a version was promoted.
constexpr std::array<const char*, 2> kVerdictLabels = {"kept", "promoted"};

// Labels by DriftKind.
constexpr std::array<const char*, 2> kDriftLabels = {"steps", "profile"};

}  // namespace

LearningMetrics::LearningMetrics(prometheus::Registry& registry)
    : trainings_(CounterFamily(registry, "stowaged_trainings_total",
                               "DQN trainings that ended, by state.")),
      episodes_(CounterFamily(registry, "stowaged_training_episodes_total",
                              "Episodes of DQN trainings that ended.")
                    .Add({})),
      last_reward_(GaugeFamily(registry, "stowaged_training_last_reward",
                               "Reward of the last episode of a DQN training.")
                       .Add({})),
      last_loss_(GaugeFamily(registry, "stowaged_training_last_loss",
                             "Mean loss of the gradient steps of the last "
                             "episode that had any.")
                     .Add({})),
      versions_(CounterFamily(
          registry, "stowaged_policy_versions_made_total",
          "Versions of DQN policies that trainings made, by verdict.")),
      promotions_(CounterFamily(registry, "stowaged_policy_promotions_total",
                                "Promotions of versions of DQN policies, by "
                                "trainings and by operators.")
                      .Add({})),
      roll_backs_(CounterFamily(registry, "stowaged_policy_roll_backs_total",
                                "Roll-backs of DQN policies.")
                      .Add({})) {
  for (const char* state : kStateLabels) {
    if (*state != '\0') trainings_.Add({{"state", state}});
  }
  for (const char* verdict : kVerdictLabels) {
    versions_.Add({{"verdict", verdict}});
  }
  auto& drifts = CounterFamily(
      registry, "stowaged_drifts_total",
      "Drifts from what plans and policies were made for, by what showed it.");
  auto& ratios = GaugeFamily(registry, "stowaged_drift_last_ratio",
                             "The ratio that was last compared with the drift "
                             "threshold, by what it is of; 0: none yet.");
  for (size_t kind = 0; kind < drift_.size(); ++kind) {
    drift_[kind] = {.drifts = &drifts.Add({{"kind", kDriftLabels[kind]}}),
                    .last_ratio = &ratios.Add({{"kind", kDriftLabels[kind]}})};
  }
}

void LearningMetrics::CountEpisode(const v1::Episode& episode) {
  episodes_.Increment();
  last_reward_.Set(episode.reward());
  if (episode.loss() != 0) last_loss_.Set(episode.loss());
}

void LearningMetrics::CountTraining(v1::TrainingState state) {
  trainings_.Add({{"state", kStateLabels[state]}}).Increment();
}

void LearningMetrics::CountVersion(const v1::PolicyVersion& version) {
  versions_.Add({{"verdict", kVerdictLabels[version.serving()]}}).Increment();
  if (version.serving()) CountPromotion();
}

void LearningMetrics::NoteDrift(DriftKind kind, double ratio, bool is_drift) {
  const DriftSeries& series = drift_[static_cast<int>(kind)];
  series.last_ratio->Set(ratio);
  if (is_drift) series.drifts->Increment();
}

}  // namespace stowage
