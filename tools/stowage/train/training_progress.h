// Shows on stderr how far a training is: in one line that changes on a
// terminal, in some twenty plain lines elsewhere.
//
//   TrainingProgress progress;
//   progress.Show(episode);   // after each
#ifndef STOWAGE_TOOLS_STOWAGE_TRAIN_TRAINING_PROGRESS_H_
#define STOWAGE_TOOLS_STOWAGE_TRAIN_TRAINING_PROGRESS_H_

#include <string>

#include "stowage/v1/training.pb.h"

namespace stowage::cli {

// Returns "57/200 epsilon 0.66, loss 0.012, reward 12.3, step 101 ms, 12 s
// left".
std::string EpisodeText(const v1::Episode& episode);

// Not thread-safe.
class TrainingProgress {
 public:
  TrainingProgress();
  // Clears the line on a terminal.
  ~TrainingProgress();
  TrainingProgress(const TrainingProgress&) = delete;
  TrainingProgress& operator=(const TrainingProgress&) = delete;

  void Show(const v1::Episode& episode);

 private:
  const bool terminal_;
  bool shown_ = false;
};

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_TRAIN_TRAINING_PROGRESS_H_
