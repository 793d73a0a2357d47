#include "agents/jobs/service_orders.h"

#include <algorithm>
#include <utility>

#include "client_sdk/session/size_spec.h"

namespace stowage::agent {
namespace {

// The service takes no more. What a job says of itself may be any number.
constexpr int64_t kMostLimitBytes = int64_t{1} << 60;

session::Limit LimitOf(const v1::ResizeOrder& order) {
  return {.bytes = order.fast_limit_bytes(),
          .fraction = order.fast_limit_fraction()};
}

}  // namespace

ServiceOrders::ServiceOrders(std::string job_id) : job_id_(std::move(job_id)) {}

void ServiceOrders::Follow(LimitOrders& limits, ServiceLink& service) {
  const std::optional<v1::ResizeOrder> order = service.OrderOf(job_id_);
  if (!order) return;
  if (order->number() != number_) {
    number_ = order->number();
    limits_number_ = limits.SetLimit(LimitOf(*order));
    outcome_.reset();
  }
  if (!outcome_) NoteOutcome(limits);
  if (outcome_) service.ReportOutcome(*outcome_);
}

void ServiceOrders::NoteOutcome(const LimitOrders& limits) {
  const LimitOutcome outcome = limits.OutcomeOf(limits_number_);
  if (outcome.state == LimitOutcome::kAwaited) return;
  v1::ResizeOutcome& told = outcome_.emplace();
  told.set_job_id(job_id_);
  told.set_number(number_);
  if (outcome.state == LimitOutcome::kObeyed) {
    told.set_state(v1::RESIZE_STATE_OBEYED);
    return;
  }
  told.set_state(v1::RESIZE_STATE_REFUSED);
  told.set_least_limit_bytes(
      std::clamp<int64_t>(outcome.least_bytes, 0, kMostLimitBytes));
  told.set_reason(WhyNotObeyed(outcome));
}

}  // namespace stowage::agent
