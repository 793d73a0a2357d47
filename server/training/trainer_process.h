// Trains in its own process, stowage-trainer.
//
//   TrainFunction train = TrainerProcess(
//       {.path = "/usr/bin/stowage-trainer", .niceness = 19});
//
// So LibTorch stays out of this process: its thread-local storage does not fit
// the stacks of the metrics endpoint, and it takes a second to load. The system
// gets the memory back when a training ends. If memory runs out, the training
// is killed. The trainer lowers its own priority before it loads the graph.
#ifndef STOWAGE_SERVER_TRAINING_TRAINER_PROCESS_H_
#define STOWAGE_SERVER_TRAINING_TRAINER_PROCESS_H_

#include <string>

#include "absl/status/statusor.h"
#include "server/training/training_job.h"

namespace stowage {

struct TrainerOptions {
  std::string path;
  // 0..19, as for nice(1). Above 0 the trainer also reads and writes only when
  // the disk is idle, and is the first to be killed when memory runs out.
  int niceness = 0;
};

// Returns the path of the trainer beside the running executable.
absl::StatusOr<std::string> FindTrainer();

// Returns a function that trains. Several threads may call it; each call blocks
// its thread, and the trainer ends with that thread. Errors are those of
// TrainDqn(). FAILED_PRECONDITION: there is no such program. INTERNAL: it ended
// without a result.
TrainFunction TrainerProcess(TrainerOptions options);

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_TRAINER_PROCESS_H_
