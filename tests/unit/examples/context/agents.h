// Declares the names that the examples of agents/ use.
//
//   namespace stowage::agent::examples { extern session::Segment* segment; }
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_AGENTS_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_AGENTS_H_

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <iostream>

#include "client_sdk/session/clock.h"
#include "network/metrics_page.h"

namespace stowage::agent::examples {

extern int argc;
extern char** argv;
extern session::Segment* segment;
extern v1::Graph graph;
extern v1::MemorySystem system;
extern PlanQuery query;
extern Peer peer;
extern int socket;
void Copy(const MoveOrder& order);

namespace agents_arbitration {
extern const JobKey job;
extern MoveOrder order;
void Copy(int threads);
void Copy(const MoveOrder& order);
}  // namespace agents_arbitration

namespace agents_engine {
extern std::unique_ptr<TierProvider> dram, file;
extern std::vector<TierRoom> rooms;
extern Bell stop;
extern MoveOrder first, second, order;
extern Bell never;
extern CalibrationOptions options;
extern int64_t duration_ns, beside_ns;
extern Mover mover;
int64_t Measure();
void on_failure(const MoveOrder& order, int error);
void Copy(const MoveOrder& order);
}  // namespace agents_engine

namespace agents_claims {
extern ClaimServing serving;
extern JobDefaults defaults;
extern SessionContext context;
extern std::string body, bytes, socket_path;
extern MemoryClaim claim;
absl::StatusOr<MemoryClaim> find();
bool is_over();
void Use(const nlohmann::json& result);
}  // namespace agents_claims

namespace agents_kubernetes {
extern TierCatalog catalog;
extern NodeMemory memory;
extern ClaimRef ref;
extern ClaimGrant grant;
extern ClaimServing serving;
extern FetchClaim fetch;
extern KubernetesOptions options;
extern PreparedClaims claims;
extern const ApiServer api;
extern grpc::ServerBuilder builder;
extern nlohmann::json claim, stored;
extern std::string body, socket_path, uid;
bool is_over();
void Use(const nlohmann::json& result);
void Replace(const nlohmann::json& stored, const nlohmann::json& slice);
}  // namespace agents_kubernetes

namespace agents_metrics {
extern AgentMetrics metrics;
extern std::shared_ptr<JobSeries> jobs;
extern TierPlace default_slow;
extern v1::StepTelemetry step;
extern RemoteService service;
extern std::vector<v1::StepTelemetry> steps;
}  // namespace agents_metrics

namespace agents_sharing {
extern absl::Duration patience;
extern int64_t want_bytes;
bool is_over();
void TellTheJob(int64_t most_bytes);
void Offer(const Gain& gain);
}  // namespace agents_sharing

namespace agents_jobs {
absl::StatusOr<v1::MakePlanResponse> Ask(int64_t limit_bytes);
extern AskedCurve asked_curve;
extern JobDefaults defaults;
extern SessionContext context;
extern JobRequest request;
extern JobIdentity identity;
extern std::string bytes, job_id, plan_id;
extern uint64_t number;
extern int fd, n, tier_count;
extern v1::Job job;
extern EventWriter events;
extern DeliveredPlans delivered, plans;
extern NoService service;
extern CopyTimes copy_times;
extern GraphBinding binding;
extern std::vector<int64_t> capacities, capacity_bytes;
extern session::Welcome welcome;
extern std::vector<int> descriptors;
extern TierCatalog catalog;
extern SlowDirectories directories;
extern FastMemory fast_memory;
extern session::LimitOrder first;
extern std::shared_ptr<LimitOrders> limits;
bool is_over();
void WaitForTermination();
void Save(const session::Report& report);
namespace job_share_h {
extern LimitOrders orders;
}
namespace plan_worker_h {
extern LimitOrders limits;
}
namespace claim_desk_h {
extern ClaimDesk* desk;
}
namespace resizing_h {
extern RunningJobs jobs;
}
namespace running_jobs_h {
extern std::string id;
extern pid_t pid;
extern uid_t uid;
}  // namespace running_jobs_h
namespace forecast_h {
extern absl::StatusOr<v1::MakePlanResponse> answer;
extern int64_t step_ns;
}  // namespace forecast_h
namespace kernels_alone_h {
extern absl::StatusOr<CapturedProfile> profile;
}
namespace limit_search_h {
extern int64_t peak_bytes, step_ns;
}  // namespace limit_search_h
namespace asked_curve_h {
extern std::unique_ptr<FastShare> share;
absl::StatusOr<v1::MakePlanResponse> plan(int64_t limit_bytes);
}  // namespace asked_curve_h
namespace limit_too_small_h {
extern absl::StatusOr<v1::MakePlanResponse> made;
void Tell(int64_t bytes);
}  // namespace limit_too_small_h
namespace hint_worker_h {
extern HintWorkerOptions options;
}
namespace plan_table_h {
extern v1::Plan plan;
}
namespace plan_worker_h {
extern JobUsage usage;
extern PlanWorkerOptions options;
}  // namespace plan_worker_h
namespace profile_drift_h {
struct Known {
  v1::Graph graph;
  int64_t kernels_ns = 0;
};
extern Known known;
extern v1::Graph fresh;
extern v1::Plan plan;
v1::Plan MakePlan(const v1::Graph& graph);
}  // namespace profile_drift_h
namespace service_link_h {
extern ServiceLink* service;
}
namespace situation_h {
extern DeliveredPlan plan;
extern v1::PlaceResponse response;
}  // namespace situation_h
namespace streamed_scratch_h {
struct Query {
  v1::Graph graph;
};
extern Query query;
extern v1::Graph graph;
extern int64_t limit_bytes;
}  // namespace streamed_scratch_h
}  // namespace agents_jobs

namespace agents_telemetry {
namespace resize_queue_h {
extern std::string job_id;
extern v1::HeartbeatRequest request;
extern v1::HeartbeatResponse response;
extern v1::ResizeOutcome outcome;
}  // namespace resize_queue_h
extern StepQueue queue;
extern std::vector<v1::StepTelemetry> steps;
bool Send(const v1::TelemetryBatch& batch);
}  // namespace agents_telemetry

namespace agents_tiers {
extern std::unique_ptr<TierProvider> provider;
extern std::unique_ptr<Arena> fast;
extern int64_t capacity_bytes, size_bytes;
extern void* data;
void Warn(const char* message);
namespace block_io_h {
extern int fd;
extern absl::Span<const std::byte> data;
}  // namespace block_io_h
namespace file_arena_h {
extern OwnedFd fd;
}
namespace pmem_arena_h {
extern OwnedFd fd;
}
}  // namespace agents_tiers

}  // namespace stowage::agent::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_AGENTS_H_
