// Converts episodes to protos and back.
//
//   EpisodeTimer timer;
//   v1::Episode episode = timer.Stamp(report);   // after each episode
#ifndef STOWAGE_SERVER_TRAINING_EPISODE_PROTO_H_
#define STOWAGE_SERVER_TRAINING_EPISODE_PROTO_H_

#include <cstdint>

#include "absl/time/time.h"
#include "policies/deeptm/dqn/dqn_training.h"
#include "stowage/v1/training.pb.h"

namespace stowage {

// Returns the episode as a proto, without `remaining_ns`.
v1::Episode EpisodeToProto(const policies::EpisodeReport& report);

// Returns the report of an episode. `checkpoint` must outlive it.
policies::EpisodeReport EpisodeFromProto(const v1::Episode& episode,
                                         const policies::DqnPolicy* checkpoint);

// Estimates how long a training will still take, by the time of its episodes
// after the first. Not thread-safe.
class EpisodeTimer {
 public:
  v1::Episode Stamp(const policies::EpisodeReport& report);

 private:
  int32_t first_ = 0;  // 0: none yet
  absl::Time begin_;   // when the first ended
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_EPISODE_PROTO_H_
