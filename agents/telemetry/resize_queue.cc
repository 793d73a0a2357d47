#include "agents/telemetry/resize_queue.h"

namespace stowage::agent {

std::optional<v1::ResizeOrder> ResizeQueue::OrderOf(
    const std::string& job_id) const {
  absl::MutexLock lock(&mutex_);
  const auto order = orders_.find(job_id);
  if (order == orders_.end()) return std::nullopt;
  return order->second;
}

void ResizeQueue::Report(const v1::ResizeOutcome& outcome) {
  absl::MutexLock lock(&mutex_);
  outcomes_[outcome.job_id()] = outcome;
  const auto order = orders_.find(outcome.job_id());
  if (order != orders_.end() && order->second.number() == outcome.number()) {
    orders_.erase(order);
  }
}

void ResizeQueue::AddOutcomes(v1::HeartbeatRequest* request) const {
  absl::MutexLock lock(&mutex_);
  for (const auto& [job_id, outcome] : outcomes_) {
    if (request->outcomes_size() == kMostOutcomes) return;
    *request->add_outcomes() = outcome;
  }
}

void ResizeQueue::NoteSent(const v1::HeartbeatRequest& request) {
  absl::MutexLock lock(&mutex_);
  for (const v1::ResizeOutcome& sent : request.outcomes()) {
    const auto outcome = outcomes_.find(sent.job_id());
    if (outcome != outcomes_.end() &&
        outcome->second.number() == sent.number()) {
      outcomes_.erase(outcome);
    }
  }
}

void ResizeQueue::TakeOrders(const v1::HeartbeatResponse& response) {
  absl::MutexLock lock(&mutex_);
  orders_.clear();
  for (const v1::ResizeOrder& order : response.orders()) {
    orders_[order.job_id()] = order;
  }
}

bool ResizeQueue::has_outcomes() const {
  absl::MutexLock lock(&mutex_);
  return !outcomes_.empty();
}

bool ResizeQueue::has_orders() const {
  absl::MutexLock lock(&mutex_);
  return !orders_.empty();
}

}  // namespace stowage::agent
