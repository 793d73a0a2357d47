#include "server/runtime/server.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "daemon/log.h"
#include "daemon/reload.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/health_check_service_interface.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server_builder.h"
#include "network/listening_sockets.h"
#include "network/metrics_page.h"
#include "server/calls/audit_interceptor.h"
#include "server/calls/malformed_request_interceptor.h"
#include "server/calls/metrics_interceptor.h"
#include "server/runtime/grpc_acceptor.h"
#include "server/runtime/reflection.h"
#include "server/runtime/tls_credentials.h"
#include "timing/bell.h"

namespace stowage {
namespace {

constexpr int kMaxMessageBytes = 256 << 20;
// How often the server pings its peers, to notice those that have vanished, and
// how often it lets clients ping.
constexpr int kKeepaliveMs = 60'000;
constexpr int kMinClientPingMs = 10'000;
// How long a client may take to say what it wants. Connections that never speak
// would keep others out.
constexpr int kHandshakeMs = 10'000;
// A scheduler keeps a few connections to its extender.
constexpr int kExtenderConnections = 8;
// How many heartbeats in a row a node may miss before it is dead.
constexpr int kLeaseHeartbeats = 3;
// How often replicas tell each other of heartbeats and steps, at least.
constexpr absl::Duration kExchange = absl::Seconds(1);
// How long a cancelled plan may take to end.
constexpr absl::Duration kPlanEnd = absl::Milliseconds(800);

absl::Status Annotated(absl::string_view flag, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat(flag, ": ", status.message()));
}

std::vector<
    std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>>
Interceptors(ServerMetrics* metrics, const Access* access) {
  std::vector<
      std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>>
      interceptors;
  interceptors.push_back(
      std::make_unique<MalformedRequestInterceptorFactory>());
  interceptors.push_back(std::make_unique<MetricsInterceptorFactory>(metrics));
  interceptors.push_back(std::make_unique<AuditInterceptorFactory>(access));
  return interceptors;
}

// Returns the value of a gauge: NaN if the database cannot be read.
double ValueOf(const absl::StatusOr<int64_t>& count) {
  return count.ok() ? static_cast<double>(*count) : std::nan("");
}

// Counts what retention has deleted, and says so.
void NoteDeleted(const DeletedCounts& deleted, ServerMetrics* metrics) {
  metrics->CountDeleted("graph", deleted.graphs);
  metrics->CountDeleted("plan", deleted.plans);
  metrics->CountDeleted("training", deleted.trainings);
  metrics->CountDeleted("version", deleted.versions);
  if (deleted.graphs + deleted.plans + deleted.trainings + deleted.versions ==
      0) {
    return;
  }
  Log(LogLevel::kInfo, "deleted what was beyond the bounds of --retain-*",
      {{"graphs", deleted.graphs},
       {"plans", deleted.plans},
       {"trainings", deleted.trainings},
       {"versions", deleted.versions}});
}

}  // namespace

Server::Server(const ServerConfig& config, const DescriptorBudget& descriptors,
               const std::shared_ptr<SqlDatabase>& database,
               std::shared_ptr<Certificates> certificates, Roles roles,
               TrainFunction train)
    : config_(config),
      descriptors_(descriptors),
      graph_store_(database),
      training_store_(database),
      store_counts_(&graph_store_, &training_store_),
      certificates_(std::move(certificates)),
      access_(std::move(roles), config.limits),
      versions_(&graph_store_, &training_store_),
      engine_(&graph_store_, policies::MakePolicy, &versions_, config.planning,
              [this](const PlanRequest& request, const MadePlan& made) {
                metrics_.CountPlan(request.policy, made);
              }),
      nodes_(kLeaseHeartbeats * config.heartbeat_interval),
      jobs_(&nodes_),
      fleet_store_(database),
      exchange_(&fleet_store_, &nodes_, &jobs_,
                {.shared = database->is_shared(),
                 .period = std::min(kExchange, config.heartbeat_interval)}),
      reservation_store_(database),
      reservation_book_(&reservation_store_, &nodes_, &jobs_, {}),
      job_estimator_(&graph_store_, &engine_.queue(), policies::MakePolicy),
      job_ranking_(&job_estimator_, &nodes_, &reservation_book_),
      scheduler_extender_(&job_ranking_),
      trainings_(&graph_store_, &training_store_, &versions_, std::move(train),
                 {.workers = config.training_cores,
                  .on_episode =
                      [this](const v1::Episode& episode) {
                        metrics_.learning().CountEpisode(episode);
                      },
                  .on_version =
                      [this](const v1::PolicyVersion& version) {
                        metrics_.learning().CountVersion(version);
                      },
                  .on_end =
                      [this](v1::TrainingState state) {
                        metrics_.learning().CountTraining(state);
                      }}),
      drift_(&graph_store_, &training_store_, &trainings_, &jobs_,
             config.drift_threshold,
             [this](DriftKind kind, double ratio, bool is_drift) {
               metrics_.learning().NoteDrift(kind, ratio, is_drift);
             }),
      retention_(database, &graph_store_, config.retention,
                 {.on_deleted =
                      [this](const DeletedCounts& deleted) {
                        NoteDeleted(deleted, &metrics_);
                      }}),
      graph_service_(&graph_store_, &drift_, &access_),
      placement_service_(&engine_, &graph_store_, &streams_, &stream_workers_,
                         &metrics_, &access_),
      node_service_(&nodes_, &jobs_, &streams_, &metrics_, &drift_, &access_,
                    config.heartbeat_interval, kVersion),
      job_service_(&jobs_, &exchange_, &graph_store_, &access_),
      scheduling_service_(&job_estimator_, &job_ranking_, &reservation_book_,
                          &reservation_store_, &nodes_, &access_),
      training_service_(&trainings_, &versions_, &training_store_, &metrics_,
                        &access_),
      drain_(config.drain) {}

Server::~Server() = default;

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    const ServerConfig& config, const DescriptorBudget& descriptors,
    const std::shared_ptr<SqlDatabase>& database, TrainFunction train) {
  absl::StatusOr<Roles> roles = Roles::Make(config.trust_domain, config.roles);
  if (!roles.ok()) return Annotated("--roles", roles.status());
  std::shared_ptr<Certificates> certificates;
  if (!config.tls.empty()) {
    absl::StatusOr<std::shared_ptr<Certificates>> loaded =
        Certificates::Load(config.tls, {.on_change = LogCertificates});
    if (!loaded.ok()) return Annotated("--tls-certificate", loaded.status());
    certificates = *std::move(loaded);
  }
  // Nobody else uses the database, so whoever held a training has ended.
  if (!database->is_shared()) {
    if (absl::Status released = TrainingStore(database).ReleaseAll();
        !released.ok()) {
      return released;
    }
  }
  std::unique_ptr<Server> server(
      new Server(config, descriptors, database, std::move(certificates),
                 *std::move(roles), std::move(train)));
  if (absl::Status loaded = server->exchange_.Load(); !loaded.ok()) {
    return loaded;
  }
  if (absl::Status listening = server->Listen(); !listening.ok()) {
    return listening;
  }
  if (!config.metrics_address.empty()) {
    if (absl::Status serving = server->ServeMetrics(); !serving.ok()) {
      return serving;
    }
  }
  if (!config.extender_address.empty()) {
    if (absl::Status serving = server->ServeExtender(); !serving.ok()) {
      return serving;
    }
  }
  server->reservation_book_.Start();
  server->retention_.Start(
      [jobs = &server->jobs_] { return jobs->GraphsInUse(absl::Now()); });
  return server;
}

std::shared_ptr<grpc::ServerCredentials> Server::Credentials() {
  if (certificates_ == nullptr) return grpc::InsecureServerCredentials();
  std::shared_ptr<grpc::ServerCredentials> credentials =
      MakeTlsCredentials(*certificates_);
  credentials->SetAuthMetadataProcessor(
      access_.Processor([this](const absl::Status& /*refused*/) {
        metrics_.calls().CountRefusedCall();
      }));
  return credentials;
}

absl::Status Server::Listen() {
  absl::StatusOr<ListeningSockets> listening = stowage::Listen(config_.listen);
  if (!listening.ok()) return Annotated("--listen", listening.status());
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  if (!config_.reflection) DisableReflection(&builder);
  acceptor_ = MakeGrpcAcceptor(
      *std::move(listening),
      {.spare_descriptors = descriptors_.spare,
       .on_refused = [this] { metrics_.calls().CountRefusedConnection(); }},
      Credentials(), &builder);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             kHandshakeMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  builder.AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kMinClientPingMs);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.SetMaxSendMessageSize(kMaxMessageBytes);
  builder.experimental().SetInterceptorCreators(
      Interceptors(&metrics_, &access_));
  for (grpc::Service* service : std::initializer_list<grpc::Service*>{
           &graph_service_, &placement_service_, &node_service_, &job_service_,
           &scheduling_service_, &training_service_}) {
    builder.RegisterService(service);
  }
  grpc_address_ = acceptor_->address();
  grpc_server_ = builder.BuildAndStart();
  if (grpc_server_ == nullptr) {
    return absl::UnavailableError(absl::StrCat(
        "cannot serve gRPC at ", config_.listen, "; the log of gRPC says why"));
  }
  callback_waker_.emplace(grpc_server_->InProcessChannel({}));
  return acceptor_->Start();
}

absl::Status Server::ServeMetrics() {
  absl::StatusOr<std::unique_ptr<HttpServer>> started = HttpServer::Start(
      config_.metrics_address,
      {.title = "stowaged", .max_connections = descriptors_.http_connections},
      {{"/healthz", [] { return HttpPage{.body = "ok\n"}; }},
       {"/readyz", [this] { return Readiness(); }},
       {"/metrics", [registry = metrics_.registry(), gauges = Gauges()] {
          return MetricsPage({registry, gauges});
        }}});
  if (!started.ok()) return Annotated("--metrics-address", started.status());
  http_server_ = *std::move(started);
  return absl::OkStatus();
}

absl::Status Server::ServeExtender() {
  const auto answer = [](const absl::StatusOr<std::string>& json) -> HttpPage {
    if (json.ok()) return {.content_type = "application/json", .body = *json};
    return {.status = 400, .body = absl::StrCat(json.status().message(), "\n")};
  };
  absl::StatusOr<std::unique_ptr<HttpServer>> started = HttpServer::Start(
      config_.extender_address,
      {.title = "stowaged as a scheduler extender",
       .max_connections =
           std::min(kExtenderConnections, descriptors_.http_connections)},
      /*pages=*/{},
      {{"/filter",
        [this, answer](const std::string& body) {
          return answer(scheduler_extender_.Filter(body));
        }},
       {"/prioritize", [this, answer](const std::string& body) {
          return answer(scheduler_extender_.Prioritize(body));
        }}});
  if (!started.ok()) return Annotated("--extender-address", started.status());
  extender_server_ = *std::move(started);
  return absl::OkStatus();
}

// Answers whether requests are welcome. A service that drains is alive, and so
// is one that waits for its database.
HttpPage Server::Readiness() {
  if (draining_) return {.status = 503, .body = "the service drains\n"};
  const absl::StatusOr<int64_t> graphs = store_counts_.Read().graphs;
  if (graphs.ok()) return {.body = "ok\n"};
  return {.status = 503, .body = absl::StrCat(graphs.status().message(), "\n")};
}

std::shared_ptr<GaugeCollector> Server::Gauges() {
  auto gauges = std::make_shared<GaugeCollector>();
  gauges->Add("stowaged_graphs", "Graphs stored.",
              [this] { return ValueOf(store_counts_.Read().graphs); });
  gauges->Add("stowaged_nodes_alive", "Nodes whose heartbeats arrive.", [this] {
    return static_cast<double>(nodes_.CountAlive(absl::Now()));
  });
  gauges->Add("stowaged_jobs_running", "Jobs that run.", [this] {
    return static_cast<double>(jobs_.CountRunning(absl::Now()));
  });
  gauges->Add("stowaged_plans_running", "Plans that are being made.",
              [this] { return static_cast<double>(engine_.CountRunning()); });
  gauges->Add("stowaged_plans_waiting", "Plans that wait to be made.",
              [this] { return static_cast<double>(engine_.CountWaiting()); });
  gauges->Add("stowaged_trainings_running", "DQN trainings under way.", [this] {
    return static_cast<double>(trainings_.CountRunning());
  });
  gauges->Add("stowaged_trainings_queued", "DQN trainings that wait.", [this] {
    return ValueOf(store_counts_.Read().queued_trainings);
  });
  gauges->Add("stowaged_reservations", "Reservations of fast memory.", [this] {
    return static_cast<double>(reservation_book_.Totals().count);
  });
  gauges->Add(
      "stowaged_reserved_bytes", "Fast memory that is reserved.", [this] {
        return static_cast<double>(reservation_book_.Totals().fast_bytes);
      });
  gauges->Add("stowaged_policy_versions", "Versions of DQN policies stored.",
              [this] { return ValueOf(store_counts_.Read().versions); });
  return gauges;
}

const std::vector<std::string>& Server::ReloadableSettings() {
  static const auto* const names = new std::vector<std::string>{
      "trust-domain",     "calls-per-second",    "stored-mib-per-minute",
      "streams",          "graph-mib",           "roles",
      "planning-threads", "planning-waiting",    "planning-wait",
      "planning-time",    "planning-memory-mib", "grace-period",
      "drain-delay",      "drain-timeout",       "drift-threshold",
      "log-format"};
  return *names;
}

void Server::Reload(const ServerConfig& config) {
  absl::StatusOr<Roles> roles = Roles::Make(config.trust_domain, config.roles);
  if (roles.ok()) access_.SetRoles(*std::move(roles));
  access_.SetLimits(config.limits);
  engine_.SetLimits(config.planning);
  drift_.SetThreshold(config.drift_threshold);
  drain_ = config.drain;
  SetLogFormat(LogFormatOf(config.log_format));
}

bool Server::Drain() {
  draining_ = true;
  grpc_server_->GetHealthCheckService()->SetServingStatus(false);
  Bell().AwaitFor(drain_.delay);  // which nobody rings
  Log(LogLevel::kInfo, "refusing new calls");
  grpc_server_->GetHealthCheckService()->Shutdown();
  streams_.DrainAll();
  extender_server_.reset();
  trainings_.BeginDrain();
  engine_.BeginDrain();
  acceptor_.reset();
  callback_waker_.reset();
  grpc_server_->Shutdown(std::chrono::system_clock::now() +
                         absl::ToChronoMilliseconds(drain_.timeout));
  trainings_.Drain();
  reservation_book_.Stop();
  exchange_.Stop();
  return engine_.Stop(kPlanEnd);
}

std::string Server::extender_address() const {
  return extender_server_ == nullptr ? "" : extender_server_->address();
}

std::string Server::metrics_address() const {
  return http_server_ == nullptr ? "" : http_server_->address();
}

}  // namespace stowage
