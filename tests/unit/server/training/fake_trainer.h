// Runs trainings without learning, for tests of what surrounds them.
//
//   FakeTrainer trainer;
//   trainer.HoldAt(3);                 // episode 3 waits
//   TrainingManager manager(&graphs, &trainings, &versions, trainer.function(),
//                           {});
//   trainer.AwaitEpisode(3);
//   trainer.Release();
#ifndef STOWAGE_TESTS_UNIT_SERVER_TRAINING_FAKE_TRAINER_H_
#define STOWAGE_TESTS_UNIT_SERVER_TRAINING_FAKE_TRAINER_H_

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "policies/deeptm/dqn/dqn_weights.h"
#include "policies/deeptm/dqn/q_network.h"
#include "policies/model/graph_proto.h"
#include "server/training/training_job.h"

namespace stowage {

// Returns a sound policy with random weights.
inline policies::DqnPolicy RandomPolicy(const policies::Graph& graph,
                                        const policies::MemorySystem& system,
                                        int64_t fast_limit_bytes,
                                        const policies::DqnSettings& settings,
                                        int64_t seed) {
  return {.graph_id = policies::GraphId(graph),
          .system = system.name,
          .system_digest = policies::MemorySystemDigest(system),
          .fast_limit_bytes = fast_limit_bytes,
          .settings = settings,
          .seed = seed,
          .episodes_done = settings.episodes,
          .weights = policies::PackWeights(
              policies::RandomWeights(policies::ShapeOf(settings), seed))};
}

// Thread-safe; must outlive its function.
class FakeTrainer {
 public:
  TrainFunction function() {
    return [this](const TrainingJob& job, OnEpisode on_episode) {
      return Train(job, on_episode);
    };
  }

  // Holds the episode: from now on it does not end before Release.
  void HoldAt(int32_t episode) {
    absl::MutexLock lock(&mutex_);
    held_ = episode;
  }
  void Release() { HoldAt(kNever); }

  // Makes every training from now on end with this error at its first episode.
  void FailWith(absl::Status status) {
    absl::MutexLock lock(&mutex_);
    failure_ = std::move(status);
  }

  // Blocks until this episode of some training has begun.
  void AwaitEpisode(int32_t episode) {
    absl::MutexLock lock(&mutex_);
    const auto begun = [&] {
      mutex_.AssertReaderHeld();
      return episode_ >= episode;
    };
    mutex_.Await(absl::Condition(&begun));
  }

  std::vector<TrainingJob> jobs() {
    absl::MutexLock lock(&mutex_);
    return jobs_;
  }

 private:
  static constexpr int32_t kNever = std::numeric_limits<int32_t>::max();

  absl::Status Begin(int32_t episode) {
    absl::MutexLock lock(&mutex_);
    episode_ = episode;
    const auto free = [&] {
      mutex_.AssertReaderHeld();
      return episode < held_;
    };
    mutex_.Await(absl::Condition(&free));
    return failure_;
  }

  absl::StatusOr<policies::DqnPolicy> Train(const TrainingJob& job,
                                            OnEpisode on_episode) {
    const policies::DqnPolicy* start =
        job.start.has_value() ? &*job.start : nullptr;
    const policies::DqnSettings settings = SettingsOf(job.options, start);
    policies::DqnPolicy policy = RandomPolicy(
        job.graph, job.system, job.fast_limit_bytes, settings, job.seed);
    const bool resumes =
        start != nullptr && start->episodes_done < settings.episodes;
    policy.episodes_done = resumes ? start->episodes_done : 0;
    {
      absl::MutexLock lock(&mutex_);
      jobs_.push_back(job);
    }
    while (policy.episodes_done < settings.episodes) {
      const int32_t episode = policy.episodes_done + 1;
      if (absl::Status status = Begin(episode); !status.ok()) return status;
      policy.episodes_done = episode;
      if (!on_episode({.episode = episode,
                       .episodes = settings.episodes,
                       .reward = 1.5 * episode,
                       .step_time_ns = 1000,
                       .checkpoint = &policy})) {
        break;
      }
    }
    return policy;
  }

  absl::Mutex mutex_;
  int32_t held_ ABSL_GUARDED_BY(mutex_) = kNever;
  int32_t episode_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  std::vector<TrainingJob> jobs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_TESTS_UNIT_SERVER_TRAINING_FAKE_TRAINER_H_
