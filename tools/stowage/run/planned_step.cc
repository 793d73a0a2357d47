#include "tools/stowage/run/planned_step.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client_sdk/cpp/client.h"
#include "policies/model/graph_proto.h"
#include "policies/model/memory_system_proto.h"
#include "policies/plan/plan_proto.h"

namespace stowage::cli {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(5);

// Returns the id of the graph's plan with the longest step. It is empty if the
// graph has none.
absl::StatusOr<std::string> ChoosePlan(Client& client,
                                       const std::string& graph_id) {
  const absl::StatusOr<std::vector<v1::PlanSummary>> plans =
      client.ListPlans(graph_id);
  if (!plans.ok()) return plans.status();
  const v1::PlanSummary* chosen = nullptr;
  for (const v1::PlanSummary& plan : *plans) {
    if (chosen == nullptr ||
        plan.predicted_step_time_ns() > chosen->predicted_step_time_ns()) {
      chosen = &plan;
    }
  }
  return chosen == nullptr ? "" : chosen->plan_id();
}

absl::StatusOr<policies::MemorySystem> SystemOf(Client& client,
                                                const std::string& node) {
  const absl::StatusOr<std::vector<v1::NodeSummary>> nodes = client.ListNodes();
  if (!nodes.ok()) return nodes.status();
  for (const v1::NodeSummary& summary : *nodes) {
    if (summary.node() == node)
      return policies::MemorySystemFromProto(summary.system());
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the service does not know node '", node, "'"));
}

struct PlannedGraph {
  policies::Graph graph;
  policies::Plan plan;
};

absl::StatusOr<PlannedGraph> FetchPlan(Client& client,
                                       std::vector<policies::Graph> graphs) {
  for (policies::Graph& graph : graphs) {
    const absl::StatusOr<std::string> plan_id =
        ChoosePlan(client, policies::GraphId(graph));
    if (!plan_id.ok()) return plan_id.status();
    if (plan_id->empty()) continue;
    const absl::StatusOr<v1::Plan> message = client.GetPlan(*plan_id);
    if (!message.ok()) return message.status();
    absl::StatusOr<policies::Plan> plan = policies::PlanFromProto(*message);
    if (!plan.ok()) return plan.status();
    return PlannedGraph{std::move(graph), *std::move(plan)};
  }
  return absl::FailedPreconditionError(
      "no plan was made for any step that was profiled");
}

}  // namespace

absl::StatusOr<PlannedStep> FetchPlannedStep(
    const std::string& address, const std::string& node,
    std::vector<policies::Graph> graphs) {
  absl::StatusOr<std::unique_ptr<Client>> client = Client::Connect(
      address, {.connect_timeout = kTimeout, .deadline = kTimeout});
  if (!client.ok()) return client.status();
  absl::StatusOr<PlannedGraph> planned = FetchPlan(**client, std::move(graphs));
  if (!planned.ok()) return planned.status();
  absl::StatusOr<policies::MemorySystem> system = SystemOf(**client, node);
  if (!system.ok()) return system.status();
  absl::StatusOr<policies::Simulation> simulation =
      policies::Simulate(planned->graph, *system, planned->plan);
  if (!simulation.ok()) return simulation.status();
  return PlannedStep{std::move(planned->graph), *std::move(system),
                     std::move(planned->plan), *std::move(simulation)};
}

}  // namespace stowage::cli
