// Puts stowaged together: store, engine, fleet, services, health, reflection
// and metrics.
//
//   absl::StatusOr<std::unique_ptr<Server>> server =
//       Server::Start(config, descriptors, database, train);
//   WaitForTermination([] {});
//   (*server)->Drain();
#ifndef STOWAGE_SERVER_RUNTIME_SERVER_H_
#define STOWAGE_SERVER_RUNTIME_SERVER_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "grpcpp/server.h"
#include "network/acceptor.h"
#include "network/certificates.h"
#include "network/gauge_collector.h"
#include "network/http_server.h"
#include "server/access/access.h"
#include "server/access/roles.h"
#include "server/fleet/fleet_exchange.h"
#include "server/fleet/fleet_store.h"
#include "server/fleet/job_registry.h"
#include "server/fleet/node_registry.h"
#include "server/graphs/graph_store.h"
#include "server/metrics/server_metrics.h"
#include "server/placement/placement_engine.h"
#include "server/retention/retention.h"
#include "server/rpc/graph_service.h"
#include "server/rpc/job_service.h"
#include "server/rpc/node_service.h"
#include "server/rpc/placement_service.h"
#include "server/rpc/scheduling_service.h"
#include "server/rpc/stream_registry.h"
#include "server/rpc/stream_workers.h"
#include "server/rpc/training_service.h"
#include "server/runtime/callback_waker.h"
#include "server/runtime/config.h"
#include "server/runtime/descriptor_budget.h"
#include "server/runtime/drain_times.h"
#include "server/runtime/store_counts.h"
#include "server/runtime/version.h"
#include "server/scheduling/job_estimator.h"
#include "server/scheduling/job_ranking.h"
#include "server/scheduling/reservation_book.h"
#include "server/scheduling/reservation_store.h"
#include "server/scheduling/scheduler_extender.h"
#include "server/storage/sql_database.h"
#include "server/training/drift_monitor.h"
#include "server/training/policy_versions.h"
#include "server/training/training_job.h"
#include "server/training/training_manager.h"
#include "server/training/training_store.h"

namespace stowage {

// Owns everything that it serves. Call Start(), Reload() and Drain() from one
// thread.
class Server {
 public:
  // Binds the addresses, serves, and goes on with trainings that were
  // interrupted. UNAVAILABLE: an address cannot be bound. Other errors are those
  // of the database and of Certificates::Load().
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      const ServerConfig& config, const DescriptorBudget& descriptors,
      const std::shared_ptr<SqlDatabase>& database, TrainFunction train);

  ~Server();

  // Returns the names of the settings that Reload() takes over.
  static const std::vector<std::string>& ReloadableSettings();
  // Takes over those settings. `config` is one that LoadConfig() returned.
  void Reload(const ServerConfig& config);

  // Reports NOT_SERVING, and serves on for the drain delay. Then ends streams
  // with UNAVAILABLE and refuses new RPCs. Waits up to the drain time-out for RPCs under way, then cancels them.
  // Refuses plans that wait at once, and cancels those that are made with their
  // RPCs. Returns false if one has not ended a moment later; deleting the
  // server then waits for it. A training stops after its current episode, and
  // its checkpoint is stored.
  bool Drain();

  // Returns the address for clients, with the port that was bound.
  const std::string& grpc_address() const { return grpc_address_; }
  // Returns the address of the metrics; empty without metrics.
  std::string metrics_address() const;
  // Returns that of the extender; empty without one.
  std::string extender_address() const;

 private:
  Server(const ServerConfig& config, const DescriptorBudget& descriptors,
         const std::shared_ptr<SqlDatabase>& database,
         std::shared_ptr<Certificates> certificates, Roles roles,
         TrainFunction train);

  absl::Status Listen();
  // Returns those of TLS, if there are certificates.
  std::shared_ptr<grpc::ServerCredentials> Credentials();
  absl::Status ServeMetrics();
  absl::Status ServeExtender();
  HttpPage Readiness();
  std::shared_ptr<GaugeCollector> Gauges();

  const ServerConfig config_;
  const DescriptorBudget descriptors_;
  GraphStore graph_store_;
  TrainingStore training_store_;
  StoreCounts store_counts_;
  const std::shared_ptr<Certificates> certificates_;  // null: plain text
  Access access_;
  ServerMetrics metrics_{kVersion};
  StreamRegistry streams_;
  StreamWorkers stream_workers_;
  PolicyVersions versions_;
  PlacementEngine engine_;
  NodeRegistry nodes_;
  JobRegistry jobs_;
  FleetStore fleet_store_;
  FleetExchange exchange_;
  ReservationStore reservation_store_;
  ReservationBook reservation_book_;
  JobEstimator job_estimator_;
  JobRanking job_ranking_;
  SchedulerExtender scheduler_extender_;
  TrainingManager trainings_;
  DriftMonitor drift_;
  Retention retention_;
  GraphServiceImpl graph_service_;
  PlacementServiceImpl placement_service_;
  NodeServiceImpl node_service_;
  JobServiceImpl job_service_;
  SchedulingServiceImpl scheduling_service_;
  TrainingServiceImpl training_service_;
  DrainTimes drain_;
  std::atomic<bool> draining_ = false;
  std::string grpc_address_;
  std::unique_ptr<HttpServer> http_server_;
  std::unique_ptr<HttpServer> extender_server_;
  std::unique_ptr<grpc::Server> grpc_server_;
  std::optional<CallbackWaker> callback_waker_;
  std::unique_ptr<Acceptor> acceptor_;  // ends before its server
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_SERVER_H_
