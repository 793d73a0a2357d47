#include "server/access/allowed_calls.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace stowage {
namespace {

using AllowedRoles = std::vector<Role>;

// Operators may call everything, also what stands nowhere here.
const absl::flat_hash_map<std::string, AllowedRoles>& Allowed() {
  constexpr Role kScheduler = Role::kScheduler, kAgent = Role::kAgent,
                 kJob = Role::kJob;
  static const auto* const kAllowed =
      new absl::flat_hash_map<std::string, AllowedRoles>{
          {"/grpc.health.v1.Health/Check", {kScheduler, kAgent, kJob}},
          {"/grpc.health.v1.Health/Watch", {kScheduler, kAgent, kJob}},
          {"/stowage.v1.GraphService/RegisterGraph",
           {kScheduler, kAgent, kJob}},
          {"/stowage.v1.GraphService/GetGraph", {kScheduler, kAgent, kJob}},
          {"/stowage.v1.GraphService/ListGraphs", {kScheduler}},
          {"/stowage.v1.GraphService/DeleteGraph", {}},
          {"/stowage.v1.JobService/StartJob", {kAgent}},
          {"/stowage.v1.JobService/FinishJob", {kAgent}},
          {"/stowage.v1.JobService/GetJob", {kScheduler, kAgent}},
          {"/stowage.v1.JobService/ListJobs", {kScheduler}},
          {"/stowage.v1.JobService/ResizeJob", {kScheduler}},
          {"/stowage.v1.NodeService/RegisterNode", {kAgent}},
          {"/stowage.v1.NodeService/Heartbeat", {kAgent}},
          {"/stowage.v1.NodeService/ListNodes", {kScheduler}},
          {"/stowage.v1.NodeService/StreamTelemetry", {kAgent}},
          {"/stowage.v1.PlacementService/MakePlan", {kScheduler, kAgent, kJob}},
          {"/stowage.v1.PlacementService/GetPlan", {kScheduler, kAgent, kJob}},
          {"/stowage.v1.PlacementService/ListPlans", {kScheduler}},
          {"/stowage.v1.PlacementService/Place", {kAgent, kJob}},
          {"/stowage.v1.PlacementService/PlaceOnce", {kAgent, kJob}},
          {"/stowage.v1.PlacementService/ListPolicies",
           {kScheduler, kAgent, kJob}},
          {"/stowage.v1.SchedulingService/EstimateJob", {kScheduler}},
          {"/stowage.v1.SchedulingService/RankNodes", {kScheduler}},
          {"/stowage.v1.SchedulingService/Reserve", {kScheduler}},
          {"/stowage.v1.SchedulingService/RenewReservation", {kScheduler}},
          {"/stowage.v1.SchedulingService/ReleaseReservation", {kScheduler}},
          {"/stowage.v1.SchedulingService/ListReservations", {kScheduler}},
          {"/stowage.v1.TrainingService/StartTraining", {kScheduler, kAgent}},
          {"/stowage.v1.TrainingService/GetTraining", {kScheduler}},
          {"/stowage.v1.TrainingService/ListTrainings", {kScheduler}},
          {"/stowage.v1.TrainingService/WatchTraining", {kScheduler}},
          {"/stowage.v1.TrainingService/CancelTraining", {}},
          {"/stowage.v1.TrainingService/ListVersions", {kScheduler}},
          {"/stowage.v1.TrainingService/GetVersion", {kScheduler}},
          {"/stowage.v1.TrainingService/PromoteVersion", {}},
          {"/stowage.v1.TrainingService/RollBackVersion", {}},
      };
  return *kAllowed;
}

std::string WhoMay(const AllowedRoles& roles) {
  std::string text = absl::StrJoin(roles, "", [](std::string* out, Role role) {
    absl::StrAppend(out, RoleName(role), ", ");
  });
  return text + "operator";
}

}  // namespace

absl::Status CheckAllowed(const Caller& caller, absl::string_view path) {
  if (caller.role == Role::kOperator) return absl::OkStatus();
  const auto found = Allowed().find(path);
  const AllowedRoles roles =
      found == Allowed().end() ? AllowedRoles() : found->second;
  for (const Role role : roles) {
    if (role == caller.role) return absl::OkStatus();
  }
  return absl::PermissionDeniedError(absl::StrCat(
      RoleName(caller.role), " '", caller.identity, "' may not call ", path,
      "; roles that may: ", WhoMay(roles)));
}

absl::Status CheckNode(const Caller& caller, absl::string_view node) {
  // In the names of nodes upper and lower case differ.
  if (caller.role != Role::kAgent || caller.name == node) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(absl::StrCat(
      "agent '", caller.identity, "' speaks for node '", caller.name,
      "' alone, and not for '", node, "'; start it with --node=", caller.name,
      ", or issue it a certificate of that node"));
}

}  // namespace stowage
