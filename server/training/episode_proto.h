// Converts episodes to the form that the protos have.
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

// Without `remaining_ns`.
v1::Episode EpisodeToProto(const policies::EpisodeReport& report);

// `checkpoint` must outlive the report.
policies::EpisodeReport EpisodeFromProto(const v1::Episode& episode,
                                         const policies::DqnPolicy* checkpoint);

// Estimates how long a training still takes, from the time that its episodes
// took after the first. Not thread-safe.
class EpisodeTimer {
 public:
  v1::Episode Stamp(const policies::EpisodeReport& report);

 private:
  int32_t first_ = 0;  // 0: none yet
  absl::Time begin_;   // when the first ended
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_EPISODE_PROTO_H_
