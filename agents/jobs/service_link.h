// What jobs need of the placement service. telemetry/ implements it over gRPC,
// tests with fakes.
#ifndef STOWAGE_AGENTS_JOBS_SERVICE_LINK_H_
#define STOWAGE_AGENTS_JOBS_SERVICE_LINK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/v1/graph.pb.h"
#include "stowage/v1/job.pb.h"
#include "stowage/v1/memory_system.pb.h"
#include "stowage/v1/node.pb.h"
#include "stowage/v1/placement.pb.h"

namespace stowage::agent {

struct PlanQuery {
  v1::Graph graph;
  // Of a graph that the service has, in place of `graph`; empty: none.
  std::string graph_id;
  v1::MemorySystem system;
  int64_t fast_limit_bytes = 0;
  std::string policy;   // empty: the service's default
  bool replan = false;  // although the service may have a plan
};

// Placement decisions for the kernels ahead of one job under one plan. Used by
// one thread at a time, except for Cancel.
class PlacementStream {
 public:
  virtual ~PlacementStream() = default;
  // Blocks until the answer or Cancel. An error ends the stream; its conditions
  // stand in proto/stowage/v1/placement.proto.
  virtual absl::StatusOr<v1::PlaceResponse> Ask(
      const v1::PlaceRequest& request) = 0;
  // Makes an Ask under way return CANCELLED. Any thread.
  virtual void Cancel() = 0;
};

// Thread-safe.
class ServiceLink {
 public:
  virtual ~ServiceLink() = default;

  // Registers the graph and asks for a plan. Where a policy that needs training
  // has none yet, asks for its training and for a plan of the default policy
  // meanwhile.
  // Blocks, with a deadline of the implementation's. Errors are the service's;
  // UNAVAILABLE when it cannot be reached.
  virtual absl::StatusOr<v1::MakePlanResponse> MakePlan(
      const PlanQuery& query) = 0;

  // What the service says that a policy can do; nothing until it has said so,
  // and nothing of a policy that it does not have. Never blocks.
  virtual v1::PolicyCapabilities CapabilitiesOf(
      const std::string& policy) const = 0;

  // Blocks until the service can be reached; UNAVAILABLE when it cannot. The
  // stream must not outlive the link.
  virtual absl::StatusOr<std::unique_ptr<PlacementStream>> OpenPlacement() = 0;

  // These queue and never block. What does not fit into the queue is dropped.
  virtual void StartJob(const v1::Job& job) = 0;
  virtual void FinishJob(const std::string& job_id) = 0;
  virtual void ReportSteps(std::vector<v1::StepTelemetry> steps) = 0;

  // Sends what is queued and ends the connection; blocks no longer than a call
  // may take. Nothing is sent afterwards.
  virtual void Close() = 0;

  // Whether the last exchange with the service worked.
  virtual bool connected() const = 0;
};

// Of an agent without a service: jobs stay in demand mode.
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
  void Close() override {}
  bool connected() const override { return false; }
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_SERVICE_LINK_H_
