// Runs trainings on its threads.
//
//   TrainingManager manager(&graphs, &trainings, &versions,
//                           TrainerProcess(options), {.workers = 1});
//   absl::StatusOr<v1::Training> training = manager.Start(request);
//   manager.Drain();
//
// A training runs on one core, and as many run at a time as there are workers.
// The queue is in the store: workers of all replicas claim trainings there.
// While one runs, its checkpoint is stored every kCheckpointEpisodes episodes
// and its claim is renewed. A training whose replica has ended, drained or not,
// continues from its checkpoint, on whichever replica claims it.
#ifndef STOWAGE_SERVER_TRAINING_TRAINING_MANAGER_H_
#define STOWAGE_SERVER_TRAINING_TRAINING_MANAGER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/graphs/graph_store.h"
#include "server/training/policy_versions.h"
#include "server/training/training_channel.h"
#include "server/training/training_job.h"
#include "server/training/training_store.h"
#include "stowage/v1/training.pb.h"
#include "timing/bell.h"

namespace stowage {

struct TrainingManagerOptions {
  int workers = 1;  // 0: this service does not train
  // For how long a replica that ended without a word keeps its trainings. Those
  // that live renew their claims three times as often.
  absl::Duration lease = absl::Seconds(15);
  // How often idle workers look for trainings that other replicas have left.
  absl::Duration look = absl::Seconds(1);
  // The workers call these three. A version is one that a training has made.
  std::function<void(const v1::Episode&)> on_episode = [](const auto&) {};
  std::function<void(const v1::PolicyVersion&)> on_version = [](const auto&) {};
  std::function<void(v1::TrainingState)> on_end = [](auto) {};
};

// Thread-safe. Owns none of the pointers; all must outlive it.
class TrainingManager {
 public:
  static constexpr int kMaxQueued = 64;
  static constexpr int kCheckpointEpisodes = 10;

  TrainingManager(GraphStore* graphs, TrainingStore* trainings,
                  PolicyVersions* versions, TrainFunction train,
                  TrainingManagerOptions options);
  // Calls Drain().
  ~TrainingManager();

  // Checks the request and queues it. training.proto lists the errors.
  absl::StatusOr<v1::Training> Start(v1::StartTrainingRequest request);

  // Cancels the training and returns it as it is now. One that runs ends after
  // its current episode, or on another replica after its claim was renewed.
  // NOT_FOUND: no such training.
  absl::StatusOr<v1::Training> Cancel(int64_t training_id);

  // Returns the channel of a training that runs here; null if it does not.
  std::shared_ptr<TrainingChannel> Channel(int64_t training_id);

  // Blocks until a training begins or ends here, or for `time`. Returns false
  // if the service drains.
  bool AwaitChange(absl::Duration time);

  // Refuses new trainings, asks those that run here to stop, and closes
  // channels.
  // Does not block.
  void BeginDrain();
  // Blocks until the workers have stored their checkpoints, about an episode.
  void Drain();

  // Returns how many trainings run here.
  int64_t CountRunning() const;

 private:
  // A training that runs here.
  struct Active {
    explicit Active(TrainingClaim held) : claim(std::move(held)) {}

    const TrainingClaim claim;
    const std::shared_ptr<TrainingChannel> channel =
        std::make_shared<TrainingChannel>();
    std::atomic<bool> cancelled = false;
    std::atomic<bool> lost = false;  // the claim no longer holds
  };

  absl::Status FillFromResumed(v1::StartTrainingRequest* request);
  absl::StatusOr<TrainingJob> MakeJob(const v1::StartTrainingRequest& request);

  void Work();
  // Claims a training and makes it active. Returns nothing if there is none.
  std::optional<ClaimedTraining> ClaimNext();
  void Run(ClaimedTraining claimed, Active* active);
  absl::StatusOr<policies::DqnPolicy> Train(const TrainingJob& job,
                                            Active* active,
                                            v1::Training* training);
  // Sets the last state of a training that ended without an error, and
  // publishes its policy if it is done.
  void Conclude(const policies::DqnPolicy& policy, const TrainingJob& job,
                Active* active, v1::Training* training);
  // Stores the training and tells its watchers. Returns whether it is stored.
  bool Store(const v1::Training& training, Active* active);
  void Note(const absl::Status& stored, Active* active);
  void RenewClaims();
  void RenewClaim(Active* active);
  bool draining() const;

  GraphStore* const graphs_;
  TrainingStore* const trainings_;
  PolicyVersions* const versions_;
  const TrainFunction train_;
  const TrainingManagerOptions options_;

  mutable absl::Mutex mutex_;
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<int64_t, std::shared_ptr<Active>> active_ ABSL_GUARDED_BY(mutex_);
  const std::string holder_;  // names this replica, and this run of it
  Bell changed_;  // rings when workers or watchers have something to look at
  Bell ended_;    // rings when all workers have ended
  std::vector<std::thread> workers_;  // these use all above
  std::thread renewer_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_TRAINING_MANAGER_H_
