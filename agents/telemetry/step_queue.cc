#include "agents/telemetry/step_queue.h"

#include <utility>

namespace stowage::agent {

void StepQueue::Push(std::vector<v1::StepTelemetry> steps) {
  absl::MutexLock lock(&mutex_);
  for (v1::StepTelemetry& step : steps) waiting_.push_back(std::move(step));
  while (waiting_.size() > capacity_) {
    waiting_.pop_front();
    ++dropped_;
  }
}

std::optional<v1::TelemetryBatch> StepQueue::Peek() {
  absl::MutexLock lock(&mutex_);
  if (under_way_) return under_way_;
  if (waiting_.empty()) return std::nullopt;
  v1::TelemetryBatch batch;
  batch.set_dropped_steps(std::exchange(dropped_, 0));
  while (!waiting_.empty() && batch.steps_size() < batch_size_) {
    *batch.add_steps() = std::move(waiting_.front());
    waiting_.pop_front();
  }
  under_way_ = std::move(batch);
  return under_way_;
}

void StepQueue::Acknowledge() {
  absl::MutexLock lock(&mutex_);
  under_way_.reset();
}

}  // namespace stowage::agent
