// Declares the names that the examples of server/ use.
//
//   namespace stowage::examples { extern std::unique_ptr<GraphStore> store; }
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_SERVER_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_SERVER_H_

#include <sqlite3.h>

#include <iostream>

#include "daemon/signals.h"
#include "network/metrics_page.h"

namespace stowage::examples {

extern int argc;
extern char** argv;
extern std::unique_ptr<GraphStore> store;
extern std::string graph_id, plan_id, path, id;
extern int64_t bytes;
void Tell(const std::string& text);

namespace server_access {
extern Caller caller;
extern std::shared_ptr<grpc::ServerCredentials> credentials;
extern std::function<void(const absl::Status&)> on_refused;
extern grpc::ServerContext* context;
extern v1::HeartbeatRequest request;
namespace audited_calls_h {
extern v1::DeleteGraphRequest request;
extern LogFields fields;
}  // namespace audited_calls_h
namespace call_log_h {
extern const Access access;
extern absl::Status status;
extern LogFields objects;
}  // namespace call_log_h
}  // namespace server_access

namespace server_fleet {
extern NodeRegistry nodes;
extern JobRegistry jobs;
extern v1::MemorySystem system;
extern v1::Job job;
extern v1::StepTelemetry step;
extern v1::TelemetryBatch batch;
void Acknowledge(int64_t sequence);
void Compare(const policies::CopySpeed& one, const policies::CopySpeed& other);
namespace fleet_exchange_h {
extern FleetStore store;
extern std::string job_id;
}  // namespace fleet_exchange_h
namespace fleet_merge_h {
extern v1::StoredNode theirs, ours;
extern v1::StoredJob their_job, our_job;
}  // namespace fleet_merge_h
namespace node_memory_h {
extern NodeMemory other;
}  // namespace node_memory_h
namespace version_skew_h {
extern v1::RegisterNodeRequest request;
}  // namespace version_skew_h
namespace fleet_store_h {
extern std::shared_ptr<SqlDatabase> database;
extern v1::StoredNode node;
extern v1::StoredJob job;
}  // namespace fleet_store_h
namespace job_resize_h {
extern v1::ResizeJobRequest request;
extern v1::ResizeOutcome outcome;
}  // namespace job_resize_h
}  // namespace server_fleet

namespace server_graphs {
extern std::string request_id, system_bytes;
extern v1::GraphSummary summary;
extern v1::Graph graph;
void MarkUsed(const std::string& id);
void Show(absl::string_view text);
namespace graph_summary_h {
extern policies::Graph graph;
extern v1::Graph proto;
}  // namespace graph_summary_h
}  // namespace server_graphs

namespace server_retention {
extern std::shared_ptr<SqlDatabase> database;
extern GraphStore graphs;
extern RetentionBounds bounds;
extern Retention::GraphIds in_use;
Retention::GraphIds GraphsOfRunningJobs();
namespace victims_h {
extern std::vector<KeptItem> graphs;
}
}  // namespace server_retention

namespace server_storage {
extern SqlRow row;
extern bool failed;
extern int code;
extern std::string sql_state, message;
void Show(absl::string_view text);
namespace schema_h {
extern std::shared_ptr<SqlDatabase> database;
}
namespace sql_h {
extern SqliteConnection& connection;
}
namespace sqlite_status_h {
extern sqlite3* database;
}
}  // namespace server_storage

namespace server_metrics {
extern ServerMetrics metrics;
namespace learning_metrics_h {
extern v1::Episode episode;
extern v1::PolicyVersion version;
}  // namespace learning_metrics_h
}  // namespace server_metrics

namespace server_placement {
extern policies::Graph graph;
extern policies::MemorySystem system;
extern v1::Plan plan;
extern JobSituation situation;
extern SharedGraphs graphs;
extern PlanRequest plan_request, request;
extern DqnSource* source;
namespace bound_ratio_h {
extern policies::Plan plan;
}
namespace call_both_h {
extern policies::PlanOptions options;
}
namespace made_plan_h {
extern PlacementEngine engine;
void Send(const std::string& plan_id, const v1::Plan& plan);
}  // namespace made_plan_h
namespace recent_decisions_h {
extern std::shared_ptr<const KernelDecisions> decisions;
}
namespace online_decisions_h {
extern policies::DqnPolicy policy;
}
namespace planning_memory_h {
extern GraphRow row;
}
namespace background_thread_h {
extern const policies::Policy& policy;
}  // namespace background_thread_h
namespace planning_queue_h {
extern std::string peer;
extern grpc::ServerContext* context;
absl::StatusOr<MadePlan> work(const policies::Cancellation& cancellation);
}  // namespace planning_queue_h
namespace think_time_h {
extern const policies::Policy& policy;
extern const policies::Graph& graph;
extern PlanRequest request;
}  // namespace think_time_h
namespace verified_plan_h {
extern std::unique_ptr<policies::Policy> policy;
extern int64_t limit;
}  // namespace verified_plan_h
}  // namespace server_placement

namespace server_calls {
extern const Access access;
extern grpc::ServerBuilder builder;
extern std::vector<
    std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>>
    creators;
extern ServerMetrics metrics;
namespace counted_call_h {
extern grpc::ServerContextBase* context;
}
namespace raw_methods_h {
extern grpc::experimental::ServerRpcInfo* info;
}
}  // namespace server_calls

namespace server_rpc {
extern Access access;
extern grpc::ServerBuilder builder;
extern DriftMonitor drift;
extern FleetExchange exchange;
extern JobRegistry jobs;
extern NodeRegistry nodes;
extern PlacementEngine engine;
extern ServerMetrics metrics;
extern StreamRegistry streams;
extern StreamWorkers workers;
extern TrainingManager manager;
extern PolicyVersions versions;
extern std::unique_ptr<TrainingStore> trainings;
void AnswerRequest();
namespace bound_rules_h {
extern v1::Graph message;
void Check(const v1::Bounds& bounds, const google::protobuf::Message& message,
           const google::protobuf::FieldDescriptor* field);
}  // namespace bound_rules_h
namespace exchange_stream_h {
extern StreamShares shares;
absl::StatusOr<v1::PlaceResponse> Answer(const v1::PlaceRequest& request);
}  // namespace exchange_stream_h
namespace page_h {
extern int32_t size;
extern std::string token;
}  // namespace page_h
namespace plan_reader_h {
extern v1::PlaceRequest request;
}
namespace memory_system_of_h {
extern v1::MakePlanRequest request;
}
namespace retry_time_h {
extern absl::StatusOr<MadePlan> made;
extern grpc::ServerContext* context;
}  // namespace retry_time_h
namespace scheduling_service_h {
extern JobEstimator estimator;
extern JobRanking ranking;
extern ReservationBook book;
extern ReservationStore store;
}  // namespace scheduling_service_h
namespace shared_slice_h {
extern std::shared_ptr<const KernelDecisions> decisions;
extern absl::StatusOr<absl::string_view> window;
}  // namespace shared_slice_h
namespace request_bounds_h {
extern const v1::GetPlanRequest* request;
}
}  // namespace server_rpc

namespace server_runtime {
extern Access access;
extern std::function<void(const absl::Status&)> on_refused;
extern std::shared_ptr<Certificates> certificates;
extern ServerConfig config;
extern DescriptorBudget descriptors;
extern std::shared_ptr<SqlDatabase> database;
extern TrainFunction train;
extern std::shared_ptr<grpc::ServerCredentials> credentials;
namespace callback_waker_h {
extern std::shared_ptr<grpc::Channel> channel;
extern std::unique_ptr<grpc::Server> grpc_server;
}  // namespace callback_waker_h
namespace store_counts_h {
extern GraphStore graph_store;
extern TrainingStore training_store;
}  // namespace store_counts_h
namespace exit_code_h {
extern absl::StatusOr<ServerConfig> config;
}
}  // namespace server_runtime

namespace server_scheduling {
extern policies::MemorySystem system;
extern PlanCaller caller;
extern JobEstimator estimator;
extern NodeRegistry nodes;
extern JobRegistry jobs;
extern std::shared_ptr<SqlDatabase> database;
extern JobRanking ranking;
extern std::string body;
namespace job_estimator_h {
extern GraphStore store;
extern PlanningQueue queue;
}  // namespace job_estimator_h
namespace job_ranking_h {
extern ReservationBook book;
}  // namespace job_ranking_h
namespace node_ranking_h {
extern std::vector<Candidate> candidates;
extern const EstimatesByKind* estimates;
void StartAt(const std::string& node);
}  // namespace node_ranking_h
namespace reservation_book_h {
extern ReservationStore store;
extern v1::ReserveRequest request;
}  // namespace reservation_book_h
namespace reservation_store_h {
extern v1::Reservation wanted;
absl::Status fits(const std::vector<v1::Reservation>& others);
}  // namespace reservation_store_h
}  // namespace server_scheduling

namespace server_training {
extern GraphStore graphs;
extern TrainingStore trainings;
extern std::shared_ptr<SqlDatabase> database;
extern TrainingManager manager;
extern PolicyVersions versions;
extern JobRegistry jobs;
extern v1::StartTrainingRequest request;
extern v1::Training training;
extern v1::PolicyVersion version;
extern int64_t training_id;
extern grpc::ServerWriter<v1::TrainingEvent>* writer;
extern TrainingClaim claim;
extern v1::TrainingEvent event;
extern v1::StepTelemetry step;
extern v1::Graph before, after;
extern TrainingJob job;
extern policies::EpisodeReport report;
extern policies::DqnPolicy policy;
extern policies::MemorySystem system;
extern PlanRequest plan_request;
extern pid_t parent_pid;
namespace candidate_h {
extern policies::Graph graph;
extern policies::DqnSettings settings;
extern policies::UnitPrices prices;
extern policies::Plan candidate, serving;
void Promote(const policies::Plan& plan);
}  // namespace candidate_h
namespace training_manager_h {
extern TrainerOptions options;
}
}  // namespace server_training

}  // namespace stowage::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_SERVER_H_
