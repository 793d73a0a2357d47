// Carries out what the placement service orders of one job's limit.
//
//   ServiceOrders orders(job_id);
//   orders.Follow(*limits, service);  // every 50 ms or so
//
// The service sends an order again until it knows what became of it. An order
// whose number was the last one is carried out once, and its outcome is told
// as often as it is sent.
#ifndef STOWAGE_AGENTS_JOBS_SERVICE_ORDERS_H_
#define STOWAGE_AGENTS_JOBS_SERVICE_ORDERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "agents/jobs/planning/service_link.h"
#include "agents/jobs/records/limit_orders.h"

namespace stowage::agent {

// Not thread-safe.
class ServiceOrders {
 public:
  explicit ServiceOrders(std::string job_id);

  // Sets the limit that the service orders, if it is a new order, and reports
  // what became of it once that is known. Does not block.
  void Follow(LimitOrders& limits, ServiceLink& service);

 private:
  // Sets the limit of a new order, or refuses what is none.
  void Begin(const v1::ResizeOrder& order, LimitOrders& limits);
  // Returns the outcome of the last order, without its reasons.
  v1::ResizeOutcome OutcomeOf(v1::ResizeState state) const;
  // Notes the outcome as soon as there is one; the limits forget it later.
  void NoteOutcome(const LimitOrders& limits);

  const std::string job_id_;
  int64_t number_ = 0;          // the service's, of its last order; 0: none yet
  uint64_t limits_number_ = 0;  // what LimitOrders call it
  std::optional<v1::ResizeOutcome> outcome_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_SERVICE_ORDERS_H_
