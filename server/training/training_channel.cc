#include "server/training/training_channel.h"

#include <algorithm>
#include <utility>

namespace stowage {

void TrainingChannel::Publish(v1::TrainingEvent event) {
  absl::MutexLock lock(&mutex_);
  events_.push_back(std::move(event));
  if (events_.size() <= kMaxEvents) return;
  events_.pop_front();
  ++first_;
}

void TrainingChannel::SetState(ChannelState state) {
  absl::MutexLock lock(&mutex_);
  if (state_ == ChannelState::kOpen) state_ = state;
}

TrainingNews TrainingChannel::Next(int64_t* cursor, absl::Duration timeout) {
  absl::MutexLock lock(&mutex_);
  const auto news = [this, cursor] {
    mutex_.AssertReaderHeld();
    return state_ != ChannelState::kOpen ||
           *cursor < first_ + static_cast<int64_t>(events_.size());
  };
  mutex_.AwaitWithTimeout(absl::Condition(&news), timeout);
  const int64_t next = std::max(*cursor, first_);
  if (next >= first_ + static_cast<int64_t>(events_.size())) {
    return {.event = std::nullopt, .state = state_};
  }
  *cursor = next + 1;
  return {.event = events_[next - first_], .state = state_};
}

}  // namespace stowage
