// Queues trainings and runs them on its threads.
//
//   TrainingManager manager(&graphs, &trainings, &versions,
//                           TrainerProcess(options), {.workers = 1});
//   absl::Status recovered = manager.Recover();
//   absl::StatusOr<v1::Training> training = manager.Start(request);
//   manager.Drain();
//
// A training runs on one core, and as many run at a time as there are workers.
// While one runs, its checkpoint is stored every kCheckpointEpisodes episodes.
// After Recover(), a training that was under way when the process ended,
// drained or not, continues from its checkpoint.
#ifndef STOWAGE_SERVER_TRAINING_TRAINING_MANAGER_H_
#define STOWAGE_SERVER_TRAINING_TRAINING_MANAGER_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/graphs/graph_store.h"
#include "server/training/policy_versions.h"
#include "server/training/training_channel.h"
#include "server/training/training_job.h"
#include "server/training/training_store.h"
#include "stowage/v1/training.pb.h"

namespace stowage {

struct TrainingManagerOptions {
  int workers = 1;  // 0: this service does not train
  // The workers call these two.
  std::function<void(const v1::Episode&)> on_episode = [](const auto&) {};
  std::function<void(v1::TrainingState)> on_end = [](auto) {};
};

// Thread-safe. Owns none of the pointers; all must outlive it.
class TrainingManager {
 public:
  static constexpr size_t kMaxQueued = 64;
  static constexpr int kCheckpointEpisodes = 10;

  TrainingManager(GraphStore* graphs, TrainingStore* trainings,
                  PolicyVersions* versions, TrainFunction train,
                  TrainingManagerOptions options);
  // Calls Drain().
  ~TrainingManager();

  // Queues the trainings that were unfinished when the process before this one
  // ended. Call it once, before anything else.
  absl::Status Recover();

  // Checks the request and queues it. training.proto lists the errors.
  absl::StatusOr<v1::Training> Start(v1::StartTrainingRequest request);

  // Cancels the training and returns it as it is now; one that runs ends after
  // its current episode. NOT_FOUND: no such training.
  absl::StatusOr<v1::Training> Cancel(int64_t training_id);

  // Returns the channel of a training; null if the training has ended, or does
  // not exist.
  std::shared_ptr<TrainingChannel> Channel(int64_t training_id);

  // Refuses new trainings, asks those that run to stop, and closes channels.
  // Does not block.
  void BeginDrain();
  // Blocks until the workers have stored their checkpoints, about an episode.
  void Drain();

  int64_t CountRunning() const;
  int64_t CountQueued() const;

 private:
  struct Active {
    std::shared_ptr<TrainingChannel> channel =
        std::make_shared<TrainingChannel>();
    bool running = false;
    std::atomic<bool> cancelled = false;
  };

  absl::Status FillFromResumed(v1::StartTrainingRequest* request);
  absl::StatusOr<TrainingJob> MakeJob(const v1::StartTrainingRequest& request);
  void Enqueue(int64_t training_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  void Work();
  void Run(int64_t training_id, Active* active);
  absl::StatusOr<policies::DqnPolicy> Train(const TrainingJob& job,
                                            Active* active,
                                            v1::Training* training);
  // Sets the last state of a training that ended without an error, and
  // publishes its policy if it is done.
  void Conclude(const policies::DqnPolicy& policy, const TrainingJob& job,
                const Active& active, v1::Training* training);
  void Store(const v1::Training& training, Active* active);
  bool draining() const;

  GraphStore* const graphs_;
  TrainingStore* const trainings_;
  PolicyVersions* const versions_;
  const TrainFunction train_;
  const TrainingManagerOptions options_;

  mutable absl::Mutex mutex_;
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<int64_t> queue_ ABSL_GUARDED_BY(mutex_);
  // The trainings that are queued or run.
  std::map<int64_t, std::shared_ptr<Active>> active_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> workers_;  // last: they use all above
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_TRAINING_MANAGER_H_
