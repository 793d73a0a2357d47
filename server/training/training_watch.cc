#include "server/training/training_watch.h"

#include <utility>

#include "absl/status/statusor.h"

namespace stowage {
namespace {

absl::Status Gone() { return absl::CancelledError("the client is gone"); }

absl::Status Drains() {
  return absl::UnavailableError(
      "the server is shutting down; watch again with back-off, the training "
      "goes on when it is back");
}

}  // namespace

bool TrainingWatch::SendTraining(const v1::Training& training, Send send) {
  std::string bytes = training.SerializeAsString();
  if (bytes == sent_) return true;
  sent_ = std::move(bytes);
  v1::TrainingEvent event;
  *event.mutable_training() = training;
  return send(event);
}

absl::Status TrainingWatch::Follow(TrainingChannel* channel, Send send) {
  int64_t cursor = 0;
  for (;;) {
    const TrainingNews news = channel->Next(&cursor, kPoll);
    if (!news.event.has_value()) {
      if (news.state == ChannelState::kEnded) return absl::OkStatus();
      if (news.state == ChannelState::kClosed) return Drains();
    } else if (news.event->has_training()) {
      if (!SendTraining(news.event->training(), send)) return Gone();
      continue;
    }
    if (!send(news.event)) return Gone();
  }
}

absl::Status TrainingWatch::Watch(int64_t training_id, Send send) {
  for (;;) {
    // In this order, a training that ends in between is seen as it ended.
    std::shared_ptr<TrainingChannel> channel = manager_->Channel(training_id);
    const absl::StatusOr<v1::Training> training =
        trainings_->GetTraining(training_id);
    if (!training.ok()) return training.status();
    if (!SendTraining(*training, send)) return Gone();
    if (HasEnded(*training)) return absl::OkStatus();
    if (channel == nullptr || channel == followed_) {
      if (!manager_->AwaitChange(kPoll)) return Drains();
      if (!send(std::nullopt)) return Gone();
      continue;
    }
    followed_ = std::move(channel);
    if (absl::Status end = Follow(followed_.get(), send); !end.ok()) return end;
  }
}

}  // namespace stowage
