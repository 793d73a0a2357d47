// Runs a training for the command line, in a process of this command or at a
// service.
//
//   absl::StatusOr<TrainingResult> here = TrainHere(job, trainer_path, show);
//   absl::StatusOr<TrainingResult> there = TrainAt(address, job, show);
#ifndef STOWAGE_TOOLS_STOWAGE_TRAIN_TRAINING_RUN_H_
#define STOWAGE_TOOLS_STOWAGE_TRAIN_TRAINING_RUN_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "policies/deeptm/dqn/dqn_policy.h"
#include "server/training/training_job.h"
#include "stowage/v1/training.pb.h"

namespace stowage::cli {

struct TrainingResult {
  policies::DqnPolicy policy;
  std::vector<v1::Episode> episodes;
  std::string verdict;  // the service's; empty without one
};

// Shows an episode; called after each.
using ShowEpisode = absl::FunctionRef<void(const v1::Episode&)>;

// Trains in a process of this command. Blocks. Ctrl-C ends the training after
// its current episode; `policy.episodes_done` is then less than asked for.
// Errors are those of TrainerProcess().
absl::StatusOr<TrainingResult> TrainHere(const TrainingJob& job,
                                         const std::string& trainer_path,
                                         ShowEpisode show);

// Registers the graph at the service, starts a training and watches it. Blocks.
// After Ctrl-C the training goes on, and CANCELLED says how to find it.
// UNAVAILABLE: no service answers. FAILED_PRECONDITION: the training failed.
absl::StatusOr<TrainingResult> TrainAt(const std::string& address,
                                       const TrainingJob& job,
                                       ShowEpisode show);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_TRAIN_TRAINING_RUN_H_
