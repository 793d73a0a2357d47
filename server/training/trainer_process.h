// Trains in a process of its own: stowage-trainer.
//
//   TrainFunction train = TrainerProcess(
//       {.path = "/usr/bin/stowage-trainer", .niceness = 19});
//
// LibTorch stays out of this process (its thread-local storage does not fit the
// stacks of the metrics endpoint, and loading it takes a second), the system
// gets its memory back when a training ends, and if memory runs out the kernel
// kills the training. The trainer lowers its own priority before it loads the
// graph.
#ifndef STOWAGE_SERVER_TRAINING_TRAINER_PROCESS_H_
#define STOWAGE_SERVER_TRAINING_TRAINER_PROCESS_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/training/training_job.h"

namespace stowage {

struct TrainerOptions {
  std::string path;
  // 0..19, as nice(1) has it. Above 0 it also reads and writes when the disk is
  // idle, and is the first that the kernel ends for want of memory.
  int niceness = 0;
};

// Returns the trainer beside the running executable.
absl::StatusOr<std::string> FindTrainer();

// The function may be called from several threads; each call blocks its own.
// Besides the errors of TrainDqn: FAILED_PRECONDITION when there is no such
// program, INTERNAL when it ends without a result. It ends with the thread that
// called.
TrainFunction TrainerProcess(TrainerOptions options);

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_TRAINER_PROCESS_H_
