#include "agents/jobs/records/limit_orders.h"

#include <atomic>

#include "absl/strings/str_cat.h"

namespace stowage::agent {

session::LimitOrder OrderOf(const session::Limit& limit, int64_t most_bytes) {
  return {.limit_bytes = limit.bytes,
          .limit_fraction = limit.fraction,
          .is_awaited = limit.slowdown > 0 ? 1 : 0,
          .most_bytes = most_bytes};
}

std::string WhyNotObeyed(const LimitOutcome& outcome) {
  if (outcome.state == LimitOutcome::kEnded) return "the job has ended";
  if (outcome.least_bytes == session::kNoRoomToObey) {
    return "the slow tier has no room for what would leave fast memory; the "
           "job keeps its limit. Free space there";
  }
  return absl::StrCat("the least limit that the job works with is ",
                      session::SizeText(outcome.least_bytes), " (",
                      outcome.least_bytes, " bytes); it keeps its limit");
}

LimitOrders::LimitOrders(session::LimitArea* area,
                         const session::LimitOrder& first)
    : area_(area),
      wanted_(first),
      in_force_(first),
      orders_(area->ordered.load(std::memory_order_relaxed)) {}

uint64_t LimitOrders::SetLimit(const session::Limit& limit) {
  absl::MutexLock lock(&mutex_);
  return Set(OrderOf(limit, wanted_.most_bytes));
}

uint64_t LimitOrders::SetMost(int64_t most_bytes) {
  absl::MutexLock lock(&mutex_);
  session::LimitOrder order = wanted_;
  order.most_bytes = most_bytes;
  return Set(order);
}

uint64_t LimitOrders::Set(const session::LimitOrder& order) {
  wanted_ = order;
  return ++set_number_;
}

void LimitOrders::Poll() {
  absl::MutexLock lock(&mutex_);
  if (area_ == nullptr) return;
  if (under_way_) TakeAnswer();
  if (under_way_ || answered_number_ == set_number_) return;
  if (wanted_ == in_force_) {
    answered_number_ = set_number_;
    return;
  }
  sent_ = wanted_;
  sent_number_ = set_number_;
  area_->order = sent_;
  area_->ordered.store(++orders_, std::memory_order_release);
  under_way_ = true;
}

void LimitOrders::TakeAnswer() {
  if (area_->taken.load(std::memory_order_acquire) != orders_) return;
  under_way_ = false;
  const int64_t answer =
      area_->refused_below_bytes.load(std::memory_order_relaxed);
  if (answer == session::kLimitObeyed) {
    in_force_ = sent_;
  } else {
    refused_above_ = answered_number_;
    refused_to_ = sent_number_;
    least_bytes_ = answer;
    if (set_number_ == sent_number_) wanted_ = in_force_;
  }
  answered_number_ = sent_number_;
}

void LimitOrders::End() {
  absl::MutexLock lock(&mutex_);
  if (area_ != nullptr && under_way_) TakeAnswer();
  area_ = nullptr;
}

LimitOutcome LimitOrders::OutcomeOf(uint64_t number) const {
  absl::MutexLock lock(&mutex_);
  if (number > answered_number_) {
    return {.state = area_ == nullptr ? LimitOutcome::kEnded
                                      : LimitOutcome::kAwaited};
  }
  if (number > refused_above_ && number <= refused_to_) {
    return {.state = LimitOutcome::kRefused, .least_bytes = least_bytes_};
  }
  return {.state = LimitOutcome::kObeyed};
}

session::LimitOrder LimitOrders::in_force() const {
  absl::MutexLock lock(&mutex_);
  return in_force_;
}

}  // namespace stowage::agent
