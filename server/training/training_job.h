// Holds what a training needs, and declares the function that trains.
//
//   TrainFunction train = TrainerProcess({.path = "/usr/bin/stowage-trainer"});
//   absl::StatusOr<policies::DqnPolicy> policy =
//       train(job, [](const policies::EpisodeReport&) { return true; });
#ifndef STOWAGE_SERVER_TRAINING_TRAINING_JOB_H_
#define STOWAGE_SERVER_TRAINING_TRAINING_JOB_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "policies/deeptm/dqn/dqn_policy.h"
#include "policies/deeptm/dqn/dqn_settings.h"
#include "policies/deeptm/dqn/dqn_training.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "stowage/v1/training.pb.h"

namespace stowage {

// Plain data.
struct TrainingJob {
  policies::Graph graph;
  policies::MemorySystem system;
  int64_t fast_limit_bytes = 0;
  v1::TrainingOptions options;
  int64_t seed = 0;
  std::optional<policies::DqnPolicy> start;  // nothing: from random weights
};

// Takes the report of each episode. Returns false to cancel the training.
using OnEpisode = absl::FunctionRef<bool(const policies::EpisodeReport&)>;

// Trains as TrainDqn() does. Blocks until the training has ended or is
// cancelled.
using TrainFunction = std::function<absl::StatusOr<policies::DqnPolicy>(
    const TrainingJob&, OnEpisode)>;

// Returns the settings that the options ask for: those of `start`, or the
// defaults if it is null, except where the options set others.
policies::DqnSettings SettingsOf(const v1::TrainingOptions& options,
                                 const policies::DqnPolicy* start);

// Checks a job. INVALID_ARGUMENT: the limit is below 1, or an option is out of
// range. FAILED_PRECONDITION: `start` is for another graph or system.
absl::Status CheckTrainingJob(const TrainingJob& job);

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_TRAINING_JOB_H_
