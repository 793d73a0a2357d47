// Runs slow answers of streams on a few threads. gRPC has as few threads for
// all of its callbacks, and a callback that blocks one of them delays everyone.
//
//   StreamWorkers workers;                    // outlives the streams
//   workers.Run([&] { AnswerRequest(); });
//
// Work runs in the order in which it came. A stream has one request at a time,
// so streams take turns.
#ifndef STOWAGE_SERVER_RPC_STREAM_WORKERS_H_
#define STOWAGE_SERVER_RPC_STREAM_WORKERS_H_

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace stowage {

// Thread-safe.
class StreamWorkers {
 public:
  StreamWorkers();
  // Waits until all work has run.
  ~StreamWorkers();

  // Runs `work` on one of the threads. Does not block.
  void Run(std::function<void()> work);

 private:
  void Work();

  absl::Mutex mutex_;
  bool closing_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<std::function<void()>> queue_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;  // last: they use all above
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_STREAM_WORKERS_H_
