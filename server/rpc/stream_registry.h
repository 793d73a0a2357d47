// Knows the streams that are open, so that a server that stops can end them.
//
//   StreamRegistry streams;                    // outlives the server
//   streams.DrainAll();                        // on SIGTERM
#ifndef STOWAGE_SERVER_RPC_STREAM_REGISTRY_H_
#define STOWAGE_SERVER_RPC_STREAM_REGISTRY_H_

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"

namespace stowage {

// A stream that the registry can ask to end.
class DrainableStream {
 public:
  virtual ~DrainableStream() = default;
  // Ends the stream with UNAVAILABLE. Must neither block nor call the registry.
  virtual void Drain() = 0;
};

// Thread-safe. Does not own the streams; each removes itself before it is
// deleted.
class StreamRegistry {
 public:
  // Adds a stream. Returns false if the server drains already; the stream must
  // then end at once.
  bool Add(DrainableStream* stream) {
    absl::MutexLock lock(&mutex_);
    if (draining_) return false;
    streams_.insert(stream);
    return true;
  }

  void Remove(DrainableStream* stream) {
    absl::MutexLock lock(&mutex_);
    streams_.erase(stream);
  }

  // Asks every stream to end. Refuses new ones from now on.
  void DrainAll() {
    absl::MutexLock lock(&mutex_);
    draining_ = true;
    // A stream that ends waits in Remove() until all have been asked.
    for (DrainableStream* stream : streams_) stream->Drain();
  }

 private:
  absl::Mutex mutex_;
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_set<DrainableStream*> streams_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_STREAM_REGISTRY_H_
