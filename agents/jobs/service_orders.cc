#include "agents/jobs/service_orders.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::agent {
namespace {

// The service takes no more. What a job says of itself may be any number.
constexpr int64_t kMostLimitBytes = int64_t{1} << 60;

// Returns the limit; nullopt if the order breaks the rules of node.proto.
std::optional<session::Limit> LimitOf(const v1::ResizeOrder& order) {
  const int64_t bytes = order.fast_limit_bytes();
  const double fraction = order.fast_limit_fraction();
  const bool is_sound = bytes >= 0 && bytes <= kMostLimitBytes &&
                        fraction >= 0 && fraction <= 1 &&
                        (bytes == 0 || fraction == 0);
  if (!is_sound) return std::nullopt;
  return session::Limit{.bytes = bytes, .fraction = fraction};
}

}  // namespace

ServiceOrders::ServiceOrders(std::string job_id) : job_id_(std::move(job_id)) {}

void ServiceOrders::Follow(LimitOrders& limits, ServiceLink& service) {
  const std::optional<v1::ResizeOrder> order = service.OrderOf(job_id_);
  if (!order) return;
  if (order->number() != number_) {
    number_ = order->number();
    Begin(*order, limits);
  }
  if (!outcome_) NoteOutcome(limits);
  if (outcome_) service.ReportOutcome(*outcome_);
}

void ServiceOrders::Begin(const v1::ResizeOrder& order, LimitOrders& limits) {
  outcome_.reset();
  if (const std::optional<session::Limit> limit = LimitOf(order)) {
    limits_number_ = limits.SetLimit(*limit);
    return;
  }
  outcome_ = OutcomeOf(v1::RESIZE_STATE_REFUSED);
  outcome_->set_reason(
      absl::StrCat("the order is for ", order.fast_limit_bytes(),
                   " bytes and a share of ", order.fast_limit_fraction(),
                   ", which is no limit; install the same release of service "
                   "and agent"));
}

v1::ResizeOutcome ServiceOrders::OutcomeOf(v1::ResizeState state) const {
  v1::ResizeOutcome outcome;
  outcome.set_job_id(job_id_);
  outcome.set_number(number_);
  outcome.set_state(state);
  return outcome;
}

void ServiceOrders::NoteOutcome(const LimitOrders& limits) {
  const LimitOutcome outcome = limits.OutcomeOf(limits_number_);
  if (outcome.state == LimitOutcome::kAwaited) return;
  if (outcome.state == LimitOutcome::kObeyed) {
    outcome_ = OutcomeOf(v1::RESIZE_STATE_OBEYED);
    return;
  }
  outcome_ = OutcomeOf(v1::RESIZE_STATE_REFUSED);
  outcome_->set_reason(WhyNotObeyed(outcome));
  outcome_->set_least_limit_bytes(
      std::clamp<int64_t>(outcome.least_bytes, 0, kMostLimitBytes));
}

}  // namespace stowage::agent
