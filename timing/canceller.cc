#include "timing/canceller.h"

#include <utility>

namespace stowage {

void Canceller::Cancel() {
  absl::MutexLock lock(&mutex_);
  if (std::exchange(cancelled_, true)) return;
  for (const Call* call : calls_) call->end_();
}

bool Canceller::cancelled() const {
  absl::MutexLock lock(&mutex_);
  return cancelled_;
}

Canceller::Call::Call(Canceller* canceller, std::function<void()> end)
    : canceller_(canceller), end_(std::move(end)) {
  if (canceller_ == nullptr) return;
  absl::MutexLock lock(&canceller_->mutex_);
  canceller_->calls_.insert(this);
  if (canceller_->cancelled_) end_();
}

Canceller::Call::~Call() {
  if (canceller_ == nullptr) return;
  absl::MutexLock lock(&canceller_->mutex_);
  canceller_->calls_.erase(this);
}

}  // namespace stowage
