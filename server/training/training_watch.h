// Follows a training for somebody who watches it, wherever it runs.
//
//   absl::Status ended = TrainingWatch(&manager, &trainings).Watch(
//       training_id, [&](const std::optional<v1::TrainingEvent>& event) {
//         return !event.has_value() || writer->Write(*event);
//       });
#ifndef STOWAGE_SERVER_TRAINING_TRAINING_WATCH_H_
#define STOWAGE_SERVER_TRAINING_TRAINING_WATCH_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/training/training_channel.h"
#include "server/training/training_manager.h"
#include "server/training/training_store.h"
#include "stowage/v1/training.pb.h"

namespace stowage {

// Make one per watcher. Not thread-safe. Does not own the pointers, which must
// outlive it.
class TrainingWatch {
 public:
  // Takes an event, or nothing after a while without one. Returns false if the
  // watcher has gone.
  using Send =
      absl::FunctionRef<bool(const std::optional<v1::TrainingEvent>& event)>;

  // How long it takes, between episodes, to notice that the watcher has gone or
  // that another replica has stored something.
  static constexpr absl::Duration kPoll = absl::Milliseconds(200);

  TrainingWatch(TrainingManager* manager, TrainingStore* trainings)
      : manager_(manager), trainings_(trainings) {}

  // Sends the training as it stands, and again whenever it changes, until it
  // has ended. While it runs here, sends its episodes, too; another replica
  // stores the last one now and then. Blocks. CANCELLED: the watcher has gone.
  // UNAVAILABLE: the service drains. NOT_FOUND: no such training.
  absl::Status Watch(int64_t training_id, Send send);

 private:
  // Sends what the channel has until it ends.
  absl::Status Follow(TrainingChannel* channel, Send send);
  bool SendTraining(const v1::Training& training, Send send);

  TrainingManager* const manager_;
  TrainingStore* const trainings_;
  std::shared_ptr<TrainingChannel> followed_;  // to its end
  std::string sent_;                           // the training as it was sent
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_TRAINING_WATCH_H_
