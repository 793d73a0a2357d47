// Work that several callers ask for at the same time is done once.
//
//   SingleFlight<std::string> flights;
//   std::string text = flights.Do("key", [] { return SlowRead(); });
//
// The first caller of a key does the work; callers that arrive before it is
// done block and get a copy of the same result. Nothing is remembered
// afterwards.
#ifndef STOWAGE_SERVER_PLACEMENT_SINGLE_FLIGHT_H_
#define STOWAGE_SERVER_PLACEMENT_SINGLE_FLIGHT_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"

namespace stowage {

// Thread-safe. `Result` is copied to each caller.
template <typename Result>
class SingleFlight {
 public:
  // Blocks until the work of `key` is done. `work` must not throw and must not
  // call Do with the same key.
  Result Do(const std::string& key, absl::FunctionRef<Result()> work) {
    std::shared_ptr<Flight> flight;
    if (!Join(key, &flight)) {
      flight->done.WaitForNotification();
      return *flight->result;
    }
    flight->result = work();
    Leave(key);
    flight->done.Notify();
    return *flight->result;
  }

 private:
  struct Flight {
    absl::Notification done;
    // Written before `done` is notified, read after.
    std::optional<Result> result;
  };

  // True when the caller is the first and has to do the work.
  bool Join(const std::string& key, std::shared_ptr<Flight>* flight) {
    absl::MutexLock lock(&mutex_);
    std::shared_ptr<Flight>& entry = flights_[key];
    const bool first = entry == nullptr;
    if (first) entry = std::make_shared<Flight>();
    *flight = entry;
    return first;
  }

  void Leave(const std::string& key) {
    absl::MutexLock lock(&mutex_);
    flights_.erase(key);
  }

  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, std::shared_ptr<Flight>> flights_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_SINGLE_FLIGHT_H_
