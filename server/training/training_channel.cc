#include "server/training/training_channel.h"

#include <algorithm>
#include <utility>

#include "timing/steady_now.h"

namespace stowage {

void TrainingChannel::Publish(v1::TrainingEvent event) {
  absl::MutexLock lock(&mutex_);
  events_.push_back(std::move(event));
  changed_.Ring();
  if (events_.size() <= kMaxEvents) return;
  events_.pop_front();
  ++first_;
}

void TrainingChannel::SetState(ChannelState state) {
  absl::MutexLock lock(&mutex_);
  if (state_ == ChannelState::kOpen) state_ = state;
  changed_.Ring();
}

TrainingNews TrainingChannel::Next(int64_t* cursor, absl::Duration timeout) {
  const absl::Time end = SteadyNow() + timeout;
  uint64_t heard;
  do {
    heard = changed_.rings();
    absl::MutexLock lock(&mutex_);
    TrainingNews news = Take(cursor);
    if (news.event || news.state != ChannelState::kOpen) return news;
  } while (changed_.AwaitFor(end - SteadyNow(), heard));
  return {};
}

TrainingNews TrainingChannel::Take(int64_t* cursor) {
  const int64_t next = std::max(*cursor, first_);
  if (next >= first_ + static_cast<int64_t>(events_.size())) {
    return {.event = std::nullopt, .state = state_};
  }
  *cursor = next + 1;
  return {.event = events_[next - first_], .state = state_};
}

}  // namespace stowage
