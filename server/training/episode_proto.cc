#include "server/training/episode_proto.h"

#include <algorithm>

#include "absl/time/time.h"
#include "timing/steady_now.h"

namespace stowage {

v1::Episode EpisodeToProto(const policies::EpisodeReport& report) {
  v1::Episode episode;
  episode.set_episode(report.episode);
  episode.set_episodes(report.episodes);
  episode.set_greedy_probability(report.greedy_probability);
  episode.set_loss(report.loss);
  episode.set_reward(report.reward);
  episode.set_step_time_ns(report.step_time_ns);
  episode.set_out_of_memory(report.out_of_memory);
  return episode;
}

policies::EpisodeReport EpisodeFromProto(
    const v1::Episode& episode, const policies::DqnPolicy* checkpoint) {
  return {.episode = episode.episode(),
          .episodes = episode.episodes(),
          .greedy_probability = episode.greedy_probability(),
          .loss = episode.loss(),
          .reward = episode.reward(),
          .step_time_ns = episode.step_time_ns(),
          .out_of_memory = episode.out_of_memory(),
          .checkpoint = checkpoint};
}

v1::Episode EpisodeTimer::Stamp(const policies::EpisodeReport& report) {
  if (first_ == 0) {
    first_ = report.episode;
    begin_ = SteadyNow();
  }
  v1::Episode episode = EpisodeToProto(report);
  if (report.episode == first_) return episode;
  const absl::Duration each =
      (SteadyNow() - begin_) / (report.episode - first_);
  episode.set_remaining_ns(absl::ToInt64Nanoseconds(
      each * std::max(0, report.episodes - report.episode)));
  return episode;
}

}  // namespace stowage
