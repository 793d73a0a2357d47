// Passes on what a training says while it runs to those who watch it.
//
//   auto channel = std::make_shared<TrainingChannel>();
//   channel->Publish(event);                                 // the training
//   int64_t cursor = 0;
//   TrainingNews news = channel->Next(&cursor, absl::Seconds(1));  // a watcher
#ifndef STOWAGE_SERVER_TRAINING_TRAINING_CHANNEL_H_
#define STOWAGE_SERVER_TRAINING_TRAINING_CHANNEL_H_

#include <cstdint>
#include <deque>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "stowage/v1/training.pb.h"
#include "timing/bell.h"

namespace stowage {

enum class ChannelState {
  kOpen,
  kEnded,   // the training has ended; what is left may still be read
  kClosed,  // the server drains
};

struct TrainingNews {
  std::optional<v1::TrainingEvent> event;  // nothing: none came in time
  ChannelState state = ChannelState::kOpen;
};

// Keeps the last kMaxEvents events. Thread-safe.
class TrainingChannel {
 public:
  static constexpr size_t kMaxEvents = 4096;

  void Publish(v1::TrainingEvent event);
  void End() { SetState(ChannelState::kEnded); }
  void Close() { SetState(ChannelState::kClosed); }

  // Returns the event numbered `cursor`, or the oldest one that is kept after
  // it, and moves the cursor past it. Blocks up to `timeout` for an event.
  TrainingNews Next(int64_t* cursor, absl::Duration timeout);

 private:
  void SetState(ChannelState state);
  TrainingNews Take(int64_t* cursor) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Mutex mutex_;
  std::deque<v1::TrainingEvent> events_ ABSL_GUARDED_BY(mutex_);
  int64_t first_ ABSL_GUARDED_BY(mutex_) = 0;  // number of events_.front()
  ChannelState state_ ABSL_GUARDED_BY(mutex_) = ChannelState::kOpen;
  Bell changed_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_TRAINING_CHANNEL_H_
