// Calls the placement service.
//
//   absl::StatusOr<std::unique_ptr<Client>> client =
//       Client::Connect("127.0.0.1:7420");  // or unix:/run/stowaged.sock
//   v1::RegisterGraphRequest registration;
//   *registration.mutable_graph() = graph;
//   absl::StatusOr<v1::RegisterGraphResponse> registered =
//       (*client)->RegisterGraph(registration);
//   v1::MakePlanRequest request;
//   request.set_graph_id(registered->graph_id());
//   request.set_system_name("optane");
//   request.set_fast_limit_bytes(int64_t{1} << 30);
//   absl::StatusOr<v1::MakePlanResponse> made = (*client)->MakePlan(request);
//
// proto/stowage/v1 says what each call means and lists its errors. Every call
// blocks, up to the deadline of the options (DEADLINE_EXCEEDED). The client
// retries UNAVAILABLE with back-off, which is right for every call, because all
// of them are idempotent. Of several replicas, "host-1:7420,host-2:7420", it
// calls one, and the next one from when that cannot serve.
#ifndef STOWAGE_CLIENT_SDK_CPP_CLIENT_H_
#define STOWAGE_CLIENT_SDK_CPP_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client_sdk/cpp/exchange.h"
#include "network/certificates.h"
#include "stowage/v1/graphs.grpc.pb.h"
#include "stowage/v1/job.grpc.pb.h"
#include "stowage/v1/node.grpc.pb.h"
#include "stowage/v1/placement.grpc.pb.h"
#include "stowage/v1/scheduling.grpc.pb.h"
#include "stowage/v1/training.grpc.pb.h"

namespace stowage {

struct ClientOptions {
  // For mutual TLS; null: plain text.
  std::shared_ptr<const Certificates> certificates;
  // The DNS name that the service's certificate must have; empty: the host of
  // the address.
  std::string server_name;
  // How long the first connection may take.
  absl::Duration connect_timeout = absl::Seconds(10);
  // How long a call may take, with its attempts and back-off.
  absl::Duration deadline = absl::Seconds(30);
  // How long MakePlan() may take, because policies think.
  absl::Duration plan_deadline = absl::Minutes(10);
  // 1..5. How often a call is tried that meets UNAVAILABLE, at each replica, and
  // MakePlan() if the service has too many plans to make; the service then says
  // when to try again.
  int max_attempts = 5;
  absl::Duration initial_backoff = absl::Milliseconds(100);
  absl::Duration max_backoff = absl::Seconds(5);
};

class Canceller;
class Endpoints;

// Thread-safe. Starts no threads besides gRPC's.
class Client {
 public:
  // Returns a client once the service answers at one of the addresses, which
  // commas separate. Blocks until then. UNAVAILABLE, which names them: none
  // answered in time.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(
      const std::string& addresses, const ClientOptions& options = {});
  ~Client();

  absl::StatusOr<v1::RegisterGraphResponse> RegisterGraph(
      const v1::RegisterGraphRequest& request, Canceller* canceller = nullptr);
  absl::StatusOr<v1::Graph> GetGraph(const std::string& graph_id);
  // The functions that begin with "List" return all pages. An empty `graph_id`
  // or `node` means all of them.
  absl::StatusOr<std::vector<v1::GraphSummary>> ListGraphs();
  absl::Status DeleteGraph(const std::string& graph_id);

  absl::StatusOr<v1::MakePlanResponse> MakePlan(
      const v1::MakePlanRequest& request, Canceller* canceller = nullptr);
  absl::StatusOr<v1::Plan> GetPlan(const std::string& plan_id);
  absl::StatusOr<std::vector<v1::PlanSummary>> ListPlans(
      const std::string& graph_id);
  absl::StatusOr<std::vector<v1::PolicySummary>> ListPolicies();
  std::unique_ptr<PlaceStream> Place();
  absl::StatusOr<v1::PlaceResponse> PlaceOnce(const v1::PlaceRequest& request);

  absl::StatusOr<v1::RegisterNodeResponse> RegisterNode(
      const v1::RegisterNodeRequest& request);
  absl::StatusOr<v1::HeartbeatResponse> Heartbeat(
      const v1::HeartbeatRequest& request);
  absl::StatusOr<std::vector<v1::NodeSummary>> ListNodes();
  std::unique_ptr<TelemetryStream> StreamTelemetry();

  absl::Status StartJob(const v1::Job& job);
  absl::Status FinishJob(const std::string& job_id);
  absl::StatusOr<v1::Job> GetJob(const std::string& job_id);
  // Newest first.
  absl::StatusOr<std::vector<v1::Job>> ListJobs(const std::string& node);
  // Returns the job at once; GetJob() says what came of its resize.
  absl::StatusOr<v1::Job> ResizeJob(const v1::ResizeJobRequest& request);

  absl::StatusOr<v1::EstimateJobResponse> EstimateJob(
      const v1::EstimateJobRequest& request);
  absl::StatusOr<v1::RankNodesResponse> RankNodes(
      const v1::RankNodesRequest& request);
  absl::StatusOr<v1::Reservation> Reserve(const v1::ReserveRequest& request);
  // Names the job that has it from now on, unless `job_id` is empty.
  absl::StatusOr<v1::RenewReservationResponse> RenewReservation(
      const std::string& reservation_id, const std::string& job_id);
  absl::Status ReleaseReservation(const std::string& reservation_id);
  absl::StatusOr<std::vector<v1::Reservation>> ListReservations(
      const std::string& node);

  absl::StatusOr<v1::Training> StartTraining(
      const v1::StartTrainingRequest& request);
  absl::StatusOr<v1::Training> GetTraining(int64_t training_id);
  // Newest first.
  absl::StatusOr<std::vector<v1::Training>> ListTrainings(
      const std::string& graph_id);
  // Calls `on_event` with each event. Blocks, without a deadline, until the
  // training has ended (OK), the stream breaks, or `on_event` returns false
  // (CANCELLED).
  absl::Status WatchTraining(
      int64_t training_id,
      absl::FunctionRef<bool(const v1::TrainingEvent&)> on_event);
  absl::StatusOr<v1::Training> CancelTraining(int64_t training_id);
  absl::StatusOr<std::vector<v1::PolicyVersion>> ListVersions(
      const std::string& graph_id);
  // Returns a version; version 0 is the one that serves.
  absl::StatusOr<v1::GetVersionResponse> GetVersion(
      const std::string& policy_id, int64_t version);
  absl::StatusOr<v1::PolicyVersion> PromoteVersion(const std::string& policy_id,
                                                   int64_t version);
  absl::StatusOr<v1::PolicyVersion> RollBackVersion(
      const std::string& policy_id, int64_t from_version);

 private:
  Client(std::unique_ptr<Endpoints> endpoints, const ClientOptions& options);

  const ClientOptions options_;
  const std::unique_ptr<Endpoints> endpoints_;
};

}  // namespace stowage

#endif  // STOWAGE_CLIENT_SDK_CPP_CLIENT_H_
