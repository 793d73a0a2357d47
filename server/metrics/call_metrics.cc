#include "server/metrics/call_metrics.h"

#include "server/metrics/families.h"

namespace stowage {
namespace {

using ::prometheus::Family;
using ::prometheus::Histogram;

Histogram::BucketBoundaries RpcBuckets() {
  return {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
          0.25,   0.5,   1,      2.5,   5,    10,    30,   60};
}

Histogram::BucketBoundaries DecisionBuckets() {
  return {2e-6, 5e-6,   1e-5, 2e-5, 5e-5, 1e-4, 2e-4,
          5e-4, 0.0025, 0.01, 0.05, 0.25, 1};
}

// By PlaceCall.
constexpr std::array<const char*, 2> kPlaceMethods = {
    "stowage.v1.PlacementService/Place",
    "stowage.v1.PlacementService/PlaceOnce"};

constexpr std::array<const char*, 3> kStreamMethods = {
    "stowage.v1.PlacementService/Place",
    "stowage.v1.NodeService/StreamTelemetry",
    "stowage.v1.TrainingService/WatchTraining"};

}  // namespace

MethodMetrics::MethodMetrics(const std::string& name,
                             const MethodFamilies& families)
    : name_(name),
      families_(families),
      succeeded_(families.rpcs.Add({{"method", name}, {"code", "OK"}})),
      duration_(families.durations.Add({{"method", name}}, RpcBuckets())) {}

void MethodMetrics::CountRpc(absl::StatusCode code, absl::Duration duration) {
  if (code == absl::StatusCode::kOk) {
    succeeded_.Increment();
  } else {
    families_.rpcs
        .Add({{"method", name_}, {"code", absl::StatusCodeToString(code)}})
        .Increment();
  }
  duration_.Observe(absl::ToDoubleSeconds(duration));
}

prometheus::Gauge& MethodMetrics::open_streams() {
  return families_.open_streams.Add({{"method", name_}});
}

CallMetrics::CallMetrics(prometheus::Registry& registry)
    : families_{.rpcs = CounterFamily(
                    registry, "stowaged_rpcs_total",
                    "RPCs that ended, by method and status code."),
                .durations = HistogramFamily(
                    registry, "stowaged_rpc_duration_seconds",
                    "Time from the start of an RPC to its status, by method."),
                .open_streams =
                    GaugeFamily(registry, "stowaged_streams_open",
                                "Streams that are open, by method.")},
      refused_connections_(
          CounterFamily(registry, "stowaged_refused_connections_total",
                        "Connections closed because no descriptor was left.")
              .Add({})),
      refused_calls_(
          CounterFamily(registry, "stowaged_refused_calls_total",
                        "Calls that the role of their caller may not make.")
              .Add({})) {
  for (const char* method : kStreamMethods) {
    families_.open_streams.Add({{"method", method}});
  }
  Family<Histogram>& decisions = HistogramFamily(
      registry, "stowaged_decision_duration_seconds",
      "The service's own time for an answer of placement decisions, by method "
      "and by what has decided.");
  for (size_t call = 0; call < decisions_.size(); ++call) {
    for (const bool policy : {false, true}) {
      decisions_[call][policy] =
          &decisions.Add({{"method", kPlaceMethods[call]},
                          {"source", policy ? "policy" : "plan"}},
                         DecisionBuckets());
    }
  }
}

MethodMetrics& CallMetrics::Of(absl::string_view method) {
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<MethodMetrics>& metrics = methods_[method];
  if (metrics == nullptr) {
    metrics = std::make_unique<MethodMetrics>(std::string(method), families_);
  }
  return *metrics;
}

void CallMetrics::CountDecision(PlaceCall call, v1::DecisionSource source,
                                absl::Duration duration) {
  const bool policy = source == v1::DECISION_SOURCE_POLICY;
  decisions_[static_cast<int>(call)][policy]->Observe(
      absl::ToDoubleSeconds(duration));
}

}  // namespace stowage
