#include "client_sdk/cpp/client.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client_sdk/cpp/endpoints.h"
#include "client_sdk/cpp/status.h"
#include "network/addresses.h"
#include "timing/canceller.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

// The largest page that the service sends.
constexpr int kPageSize = 1000;

constexpr absl::Duration kLongestTimeout = absl::Hours(24 * 365);

std::chrono::system_clock::time_point After(absl::Duration timeout) {
  // Not absl::Now(), which finds out some seconds later that somebody has set
  // the clock; gRPC would take such a deadline for one that has passed.
  return std::chrono::system_clock::now() +
         absl::ToChronoMicroseconds(std::min(timeout, kLongestTimeout));
}

template <typename Stub, typename Request, typename Response>
using Method = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&,
                                      Response*);

template <typename Stub>
using StubOf = const std::unique_ptr<Stub> Endpoint::*;

// Makes a unary call.
template <typename Stub, typename Request, typename Response>
absl::StatusOr<Response> CallOnce(Stub* stub,
                                  Method<Stub, Request, Response> method,
                                  const Request& request,
                                  absl::Duration deadline,
                                  Canceller* canceller) {
  grpc::ClientContext context;
  const Canceller::Call call(canceller, [&] { context.TryCancel(); });
  context.set_deadline(After(deadline));
  Response response;
  const grpc::Status status = (stub->*method)(&context, request, &response);
  if (!status.ok()) return FromGrpcStatus(status);
  return response;
}

// Makes a unary call, at another replica if one cannot serve it. gRPC itself
// tries again at each of them.
template <typename Stub, typename Request, typename Response>
absl::StatusOr<Response> Call(Endpoints* endpoints, StubOf<Stub> stub,
                              Method<Stub, Request, Response> method,
                              const Request& request, absl::Duration deadline,
                              Canceller* canceller = nullptr) {
  const absl::Time end = SteadyNow() + deadline;
  for (size_t tried = 1;; ++tried) {
    Endpoint& endpoint = endpoints->current();
    absl::StatusOr<Response> response = CallOnce(
        (endpoint.*stub).get(), method, request, end - SteadyNow(), canceller);
    if (canceller != nullptr && canceller->cancelled()) return response;
    // A service that ends cancels calls that it has not begun.
    const absl::Status& status = response.status();
    if (!MayDoBetter(status) && !absl::IsCancelled(status)) return response;
    endpoints->Leave(endpoint);
    if (tried >= endpoints->size() || SteadyNow() >= end) return response;
  }
}

// Returns the rows of all pages of a list. `rows` returns those of one
// response.
template <typename Row, typename Stub, typename Request, typename Response>
absl::StatusOr<std::vector<Row>> CallPages(
    Endpoints* endpoints, StubOf<Stub> stub,
    Method<Stub, Request, Response> method, Request request,
    const google::protobuf::RepeatedPtrField<Row>& (Response::*rows)() const,
    absl::Duration deadline) {
  std::vector<Row> all;
  request.set_page_size(kPageSize);
  do {
    absl::StatusOr<Response> page =
        Call(endpoints, stub, method, request, deadline);
    if (!page.ok()) return page.status();
    const auto& some = ((*page).*rows)();
    all.insert(all.end(), some.begin(), some.end());
    if (!request.page_token().empty() &&
        page->next_page_token() == request.page_token()) {
      return absl::InternalError(
          "the service says that a page follows itself, so that its list has "
          "no end; install the same release of service and client");
    }
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  return all;
}

// Returns what a stream from the endpoint calls at its end.
std::function<void(const absl::Status&)> Leaver(Endpoints* endpoints,
                                                const Endpoint* endpoint) {
  return [endpoints, endpoint](const absl::Status& end) {
    if (MayDoBetter(end)) endpoints->Leave(*endpoint);
  };
}

}  // namespace

Client::Client(std::unique_ptr<Endpoints> endpoints,
               const ClientOptions& options)
    : options_(options), endpoints_(std::move(endpoints)) {}

Client::~Client() = default;

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(
    const std::string& addresses, const ClientOptions& options) {
  auto endpoints =
      std::make_unique<Endpoints>(SplitAddresses(addresses), options);
  if (!endpoints->AwaitOne(options.connect_timeout)) {
    return absl::UnavailableError(absl::StrCat(
        "no placement service answers at ", addresses, " within ",
        absl::FormatDuration(options.connect_timeout),
        options.certificates == nullptr
            ? "; check the address and that stowaged runs, in plain text"
            : "; check the address, that stowaged runs and that each side's "
              "certificate is valid, has its host name and leads to the "
              "other's authorities"));
  }
  return std::unique_ptr<Client>(new Client(std::move(endpoints), options));
}

absl::StatusOr<v1::RegisterGraphResponse> Client::RegisterGraph(
    const v1::RegisterGraphRequest& request, Canceller* canceller) {
  return Call(endpoints_.get(), &Endpoint::graphs,
              &v1::GraphService::Stub::RegisterGraph, request,
              options_.deadline, canceller);
}

absl::StatusOr<v1::Graph> Client::GetGraph(const std::string& graph_id) {
  v1::GetGraphRequest request;
  request.set_graph_id(graph_id);
  absl::StatusOr<v1::GetGraphResponse> response =
      Call(endpoints_.get(), &Endpoint::graphs,
           &v1::GraphService::Stub::GetGraph, request, options_.deadline);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_graph());
}

absl::StatusOr<std::vector<v1::GraphSummary>> Client::ListGraphs() {
  return CallPages<v1::GraphSummary>(
      endpoints_.get(), &Endpoint::graphs, &v1::GraphService::Stub::ListGraphs,
      v1::ListGraphsRequest(), &v1::ListGraphsResponse::graphs,
      options_.deadline);
}

absl::Status Client::DeleteGraph(const std::string& graph_id) {
  v1::DeleteGraphRequest request;
  request.set_graph_id(graph_id);
  return Call(endpoints_.get(), &Endpoint::graphs,
              &v1::GraphService::Stub::DeleteGraph, request, options_.deadline)
      .status();
}

absl::StatusOr<v1::MakePlanResponse> Client::MakePlan(
    const v1::MakePlanRequest& request, Canceller* canceller) {
  return Call(endpoints_.get(), &Endpoint::placement,
              &v1::PlacementService::Stub::MakePlan, request,
              options_.plan_deadline, canceller);
}

absl::StatusOr<v1::Plan> Client::GetPlan(const std::string& plan_id) {
  v1::GetPlanRequest request;
  request.set_plan_id(plan_id);
  absl::StatusOr<v1::GetPlanResponse> response =
      Call(endpoints_.get(), &Endpoint::placement,
           &v1::PlacementService::Stub::GetPlan, request, options_.deadline);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_plan());
}

absl::StatusOr<std::vector<v1::PlanSummary>> Client::ListPlans(
    const std::string& graph_id) {
  v1::ListPlansRequest request;
  request.set_graph_id(graph_id);
  return CallPages<v1::PlanSummary>(endpoints_.get(), &Endpoint::placement,
                                    &v1::PlacementService::Stub::ListPlans,
                                    request, &v1::ListPlansResponse::plans,
                                    options_.deadline);
}

absl::StatusOr<std::vector<v1::PolicySummary>> Client::ListPolicies() {
  absl::StatusOr<v1::ListPoliciesResponse> response =
      Call(endpoints_.get(), &Endpoint::placement,
           &v1::PlacementService::Stub::ListPolicies, v1::ListPoliciesRequest(),
           options_.deadline);
  if (!response.ok()) return response.status();
  return std::vector<v1::PolicySummary>(response->policies().begin(),
                                        response->policies().end());
}

std::unique_ptr<PlaceStream> Client::Place() {
  Endpoint& endpoint = endpoints_->current();
  return std::make_unique<PlaceStream>(
      [&](grpc::ClientContext* context) {
        return endpoint.placement->Place(context);
      },
      Leaver(endpoints_.get(), &endpoint));
}

absl::StatusOr<v1::PlaceResponse> Client::PlaceOnce(
    const v1::PlaceRequest& request) {
  return Call(endpoints_.get(), &Endpoint::placement,
              &v1::PlacementService::Stub::PlaceOnce, request,
              options_.deadline);
}

absl::StatusOr<v1::RegisterNodeResponse> Client::RegisterNode(
    const v1::RegisterNodeRequest& request) {
  return Call(endpoints_.get(), &Endpoint::nodes,
              &v1::NodeService::Stub::RegisterNode, request, options_.deadline);
}

absl::StatusOr<v1::HeartbeatResponse> Client::Heartbeat(
    const v1::HeartbeatRequest& request) {
  return Call(endpoints_.get(), &Endpoint::nodes,
              &v1::NodeService::Stub::Heartbeat, request, options_.deadline);
}

absl::StatusOr<std::vector<v1::NodeSummary>> Client::ListNodes() {
  return CallPages<v1::NodeSummary>(
      endpoints_.get(), &Endpoint::nodes, &v1::NodeService::Stub::ListNodes,
      v1::ListNodesRequest(), &v1::ListNodesResponse::nodes, options_.deadline);
}

std::unique_ptr<TelemetryStream> Client::StreamTelemetry() {
  Endpoint& endpoint = endpoints_->current();
  return std::make_unique<TelemetryStream>(
      [&](grpc::ClientContext* context) {
        return endpoint.nodes->StreamTelemetry(context);
      },
      Leaver(endpoints_.get(), &endpoint));
}

absl::Status Client::StartJob(const v1::Job& job) {
  v1::StartJobRequest request;
  *request.mutable_job() = job;
  return Call(endpoints_.get(), &Endpoint::jobs,
              &v1::JobService::Stub::StartJob, request, options_.deadline)
      .status();
}

absl::Status Client::FinishJob(const std::string& job_id) {
  v1::FinishJobRequest request;
  request.set_job_id(job_id);
  return Call(endpoints_.get(), &Endpoint::jobs,
              &v1::JobService::Stub::FinishJob, request, options_.deadline)
      .status();
}

absl::StatusOr<v1::Job> Client::GetJob(const std::string& job_id) {
  v1::GetJobRequest request;
  request.set_job_id(job_id);
  absl::StatusOr<v1::GetJobResponse> response =
      Call(endpoints_.get(), &Endpoint::jobs, &v1::JobService::Stub::GetJob,
           request, options_.deadline);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_job());
}

absl::StatusOr<std::vector<v1::Job>> Client::ListJobs(const std::string& node) {
  v1::ListJobsRequest request;
  request.set_node(node);
  return CallPages<v1::Job>(endpoints_.get(), &Endpoint::jobs,
                            &v1::JobService::Stub::ListJobs, request,
                            &v1::ListJobsResponse::jobs, options_.deadline);
}

absl::StatusOr<v1::Job> Client::ResizeJob(const v1::ResizeJobRequest& request) {
  absl::StatusOr<v1::ResizeJobResponse> response =
      Call(endpoints_.get(), &Endpoint::jobs, &v1::JobService::Stub::ResizeJob,
           request, options_.deadline);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_job());
}

absl::StatusOr<v1::EstimateJobResponse> Client::EstimateJob(
    const v1::EstimateJobRequest& request) {
  return Call(endpoints_.get(), &Endpoint::scheduling,
              &v1::SchedulingService::Stub::EstimateJob, request,
              options_.plan_deadline);
}

absl::StatusOr<v1::RankNodesResponse> Client::RankNodes(
    const v1::RankNodesRequest& request) {
  return Call(endpoints_.get(), &Endpoint::scheduling,
              &v1::SchedulingService::Stub::RankNodes, request,
              options_.plan_deadline);
}

absl::StatusOr<v1::Reservation> Client::Reserve(
    const v1::ReserveRequest& request) {
  absl::StatusOr<v1::ReserveResponse> response =
      Call(endpoints_.get(), &Endpoint::scheduling,
           &v1::SchedulingService::Stub::Reserve, request, options_.deadline);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_reservation());
}

absl::StatusOr<v1::RenewReservationResponse> Client::RenewReservation(
    const std::string& reservation_id, const std::string& job_id) {
  v1::RenewReservationRequest request;
  request.set_reservation_id(reservation_id);
  request.set_job_id(job_id);
  return Call(endpoints_.get(), &Endpoint::scheduling,
              &v1::SchedulingService::Stub::RenewReservation, request,
              options_.deadline);
}

absl::Status Client::ReleaseReservation(const std::string& reservation_id) {
  v1::ReleaseReservationRequest request;
  request.set_reservation_id(reservation_id);
  return Call(endpoints_.get(), &Endpoint::scheduling,
              &v1::SchedulingService::Stub::ReleaseReservation, request,
              options_.deadline)
      .status();
}

absl::StatusOr<std::vector<v1::Reservation>> Client::ListReservations(
    const std::string& node) {
  v1::ListReservationsRequest request;
  request.set_node(node);
  return CallPages<v1::Reservation>(
      endpoints_.get(), &Endpoint::scheduling,
      &v1::SchedulingService::Stub::ListReservations, request,
      &v1::ListReservationsResponse::reservations, options_.deadline);
}

absl::StatusOr<v1::Training> Client::StartTraining(
    const v1::StartTrainingRequest& request) {
  absl::StatusOr<v1::StartTrainingResponse> response = Call(
      endpoints_.get(), &Endpoint::trainings,
      &v1::TrainingService::Stub::StartTraining, request, options_.deadline);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_training());
}

absl::StatusOr<v1::Training> Client::GetTraining(int64_t training_id) {
  v1::GetTrainingRequest request;
  request.set_training_id(training_id);
  absl::StatusOr<v1::GetTrainingResponse> response =
      Call(endpoints_.get(), &Endpoint::trainings,
           &v1::TrainingService::Stub::GetTraining, request, options_.deadline);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_training());
}

absl::StatusOr<std::vector<v1::Training>> Client::ListTrainings(
    const std::string& graph_id) {
  v1::ListTrainingsRequest request;
  request.set_graph_id(graph_id);
  return CallPages<v1::Training>(endpoints_.get(), &Endpoint::trainings,
                                 &v1::TrainingService::Stub::ListTrainings,
                                 request, &v1::ListTrainingsResponse::trainings,
                                 options_.deadline);
}

absl::Status Client::WatchTraining(
    int64_t training_id,
    absl::FunctionRef<bool(const v1::TrainingEvent&)> on_event) {
  grpc::ClientContext context;
  v1::WatchTrainingRequest request;
  request.set_training_id(training_id);
  Endpoint& endpoint = endpoints_->current();
  const std::unique_ptr<grpc::ClientReader<v1::TrainingEvent>> reader =
      endpoint.trainings->WatchTraining(&context, request);
  v1::TrainingEvent event;
  while (reader->Read(&event)) {
    if (!on_event(event)) context.TryCancel();
  }
  absl::Status end = FromGrpcStatus(reader->Finish());
  if (MayDoBetter(end)) endpoints_->Leave(endpoint);
  return end;
}

absl::StatusOr<v1::Training> Client::CancelTraining(int64_t training_id) {
  v1::CancelTrainingRequest request;
  request.set_training_id(training_id);
  absl::StatusOr<v1::CancelTrainingResponse> response = Call(
      endpoints_.get(), &Endpoint::trainings,
      &v1::TrainingService::Stub::CancelTraining, request, options_.deadline);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_training());
}

absl::StatusOr<std::vector<v1::PolicyVersion>> Client::ListVersions(
    const std::string& graph_id) {
  v1::ListVersionsRequest request;
  request.set_graph_id(graph_id);
  return CallPages<v1::PolicyVersion>(
      endpoints_.get(), &Endpoint::trainings,
      &v1::TrainingService::Stub::ListVersions, request,
      &v1::ListVersionsResponse::versions, options_.deadline);
}

absl::StatusOr<v1::GetVersionResponse> Client::GetVersion(
    const std::string& policy_id, int64_t version) {
  v1::GetVersionRequest request;
  request.set_policy_id(policy_id);
  request.set_version(version);
  return Call(endpoints_.get(), &Endpoint::trainings,
              &v1::TrainingService::Stub::GetVersion, request,
              options_.deadline);
}

absl::StatusOr<v1::PolicyVersion> Client::PromoteVersion(
    const std::string& policy_id, int64_t version) {
  v1::PromoteVersionRequest request;
  request.set_policy_id(policy_id);
  request.set_version(version);
  absl::StatusOr<v1::PromoteVersionResponse> response =
      Call(endpoints_.get(), &Endpoint::trainings,
           &v1::TrainingService::Stub::PromoteVersion, request,
           options_.plan_deadline);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_version());
}

absl::StatusOr<v1::PolicyVersion> Client::RollBackVersion(
    const std::string& policy_id, int64_t from_version) {
  v1::RollBackVersionRequest request;
  request.set_policy_id(policy_id);
  request.set_from_version(from_version);
  absl::StatusOr<v1::RollBackVersionResponse> response = Call(
      endpoints_.get(), &Endpoint::trainings,
      &v1::TrainingService::Stub::RollBackVersion, request, options_.deadline);
  if (!response.ok()) return response.status();
  return std::move(*response->mutable_version());
}

}  // namespace stowage
