// Declares what jobs need of the placement service. agents/telemetry implements
// it over gRPC, tests implement it with fakes.
//
//   absl::StatusOr<v1::MakePlanResponse> made = service->MakePlan(query);
//   absl::StatusOr<std::unique_ptr<PlacementStream>> stream =
//       service->OpenPlacement();
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_SERVICE_LINK_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_SERVICE_LINK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "stowage/v1/graph.pb.h"
#include "stowage/v1/job.pb.h"
#include "stowage/v1/memory_system.pb.h"
#include "stowage/v1/node.pb.h"
#include "stowage/v1/placement.pb.h"
#include "timing/canceller.h"

namespace stowage::agent {

struct PlanQuery {
  v1::Graph graph;
  // Names a graph that the service has, in place of `graph`; empty: none.
  std::string graph_id;
  v1::MemorySystem system;
  int64_t fast_limit_bytes = 0;
  std::string policy;   // empty: the service's default
  bool replan = false;  // although the service may have a plan
  // How long the planner may think; zero: as long as a plan is worth.
  absl::Duration think_time = absl::ZeroDuration();
  bool background = false;  // nothing waits for the plan
  bool brief = false;  // the job does, and a better plan is asked for later
  // Ends the call early if somebody cancels it; null: nobody does.
  Canceller* canceller = nullptr;
};

// Answers with placement decisions for the kernels ahead of one job under one
// plan. One thread at a time may use it; any thread may call Cancel().
class PlacementStream {
 public:
  virtual ~PlacementStream() = default;
  // Returns the answer. Blocks until it comes, or until Cancel(). An error ends
  // the stream; proto/stowage/v1/placement.proto lists the errors.
  virtual absl::StatusOr<v1::PlaceResponse> Ask(
      const v1::PlaceRequest& request) = 0;
  // Makes an Ask() under way return CANCELLED. Any thread may call it.
  virtual void Cancel() = 0;
};

// Thread-safe.
class ServiceLink {
 public:
  virtual ~ServiceLink() = default;

  // Registers the graph and asks for a plan. If the policy needs training and
  // has had none, asks for its training and, meanwhile, for a plan of the
  // default policy. Blocks until a deadline that the implementation sets.
  // Errors are the service's; UNAVAILABLE if it cannot be reached, CANCELLED if
  // the query was cancelled.
  virtual absl::StatusOr<v1::MakePlanResponse> MakePlan(
      const PlanQuery& query) = 0;

  // Returns what the policy can do according to the service; nothing before the
  // service has said so, and nothing for a policy that it does not have. Never
  // blocks.
  virtual v1::PolicyCapabilities CapabilitiesOf(
      const std::string& policy) const = 0;

  // Opens a stream, which must not outlive the link. Blocks until the service
  // is reached; UNAVAILABLE if it cannot be.
  virtual absl::StatusOr<std::unique_ptr<PlacementStream>> OpenPlacement() = 0;

  // These three put a message into a queue and never block. They drop what does
  // not fit into the queue.
  virtual void StartJob(const v1::Job& job) = 0;
  virtual void FinishJob(const std::string& job_id) = 0;
  virtual void ReportSteps(std::vector<v1::StepTelemetry> steps) = 0;

  // Returns the limit that the service orders for the job and of which no
  // outcome was reported since it last did. Never blocks.
  virtual std::optional<v1::ResizeOrder> OrderOf(
      const std::string& job_id) const = 0;
  // Keeps the outcome of an order until the service knows it. Never blocks.
  virtual void ReportOutcome(const v1::ResizeOutcome& outcome) = 0;

  // Sends what is in the queue and ends the connection. Blocks no longer than a
  // call may take. Nothing is sent afterwards.
  virtual void Close() = 0;

  // Returns whether the service answered the last time, be it with an error.
  virtual bool connected() const = 0;
  // Returns whether it has this node registered, too: one that answers may
  // refuse the node, for its certificate or its version.
  virtual bool registered() const = 0;
};

// Stands in for the service where an agent has none. Jobs stay in demand mode.
class NoService : public ServiceLink {
 public:
  absl::StatusOr<v1::MakePlanResponse> MakePlan(const PlanQuery&) override {
    return absl::FailedPreconditionError(
        "the agent has no placement service; start it with --service");
  }
  v1::PolicyCapabilities CapabilitiesOf(const std::string&) const override {
    return {};
  }
  absl::StatusOr<std::unique_ptr<PlacementStream>> OpenPlacement() override {
    return absl::UnavailableError("the agent has no placement service");
  }
  void StartJob(const v1::Job&) override {}
  void FinishJob(const std::string&) override {}
  void ReportSteps(std::vector<v1::StepTelemetry>) override {}
  std::optional<v1::ResizeOrder> OrderOf(const std::string&) const override {
    return std::nullopt;
  }
  void ReportOutcome(const v1::ResizeOutcome&) override {}
  void Close() override {}
  bool connected() const override { return false; }
  bool registered() const override { return false; }
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_SERVICE_LINK_H_
