// Holds measured steps on their way to the service. The queue is bounded and
// drops the oldest steps first.
//
//   queue.Push(std::move(steps));                       // any job
//   std::optional<v1::TelemetryBatch> batch = queue.Peek();
//   if (batch && Send(*batch)) queue.Acknowledge();     // the sender
#ifndef STOWAGE_AGENTS_TELEMETRY_STEP_QUEUE_H_
#define STOWAGE_AGENTS_TELEMETRY_STEP_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "stowage/v1/node.pb.h"

namespace stowage::agent {

// Thread-safe; one sender.
class StepQueue {
 public:
  StepQueue(size_t capacity, size_t batch_size)
      : capacity_(capacity), batch_size_(batch_size) {}

  // Appends `steps`. Steps beyond the capacity push out the oldest ones, which
  // are counted.
  void Push(std::vector<v1::StepTelemetry> steps);

  // Returns the oldest steps, and the number of steps dropped before them;
  // nullopt if there is nothing to send. Returns the same batch until it is
  // acknowledged. The sender sets node and sequence.
  std::optional<v1::TelemetryBatch> Peek();

  // Removes the batch that Peek returned last.
  void Acknowledge();

 private:
  const size_t capacity_;
  const size_t batch_size_;
  absl::Mutex mutex_;
  std::deque<v1::StepTelemetry> waiting_ ABSL_GUARDED_BY(mutex_);
  int64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<v1::TelemetryBatch> under_way_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TELEMETRY_STEP_QUEUE_H_
