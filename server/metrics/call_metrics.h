// Counts calls, streams and decisions.
//
//   CallMetrics calls(*metrics.registry());
//   MethodMetrics& place = calls.Of("stowage.v1.PlacementService/Place");
//   place.open_streams().Increment();
//   calls.CountDecision(PlaceCall::kStream, v1::DECISION_SOURCE_PLAN,
//                       absl::Microseconds(8));
//   place.CountRpc(absl::StatusCode::kOk, absl::Seconds(3));
//   place.open_streams().Decrement();
//
// A service makes tens of thousands of decisions a second. To look a series up
// by its labels takes longer than to count, so the series of decisions, and those
// of calls that succeed, are kept by reference.
#ifndef STOWAGE_SERVER_METRICS_CALL_METRICS_H_
#define STOWAGE_SERVER_METRICS_CALL_METRICS_H_

#include <array>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "stowage/v1/placement.pb.h"

namespace stowage {

// How a job asks for decisions: on a stream, or by a call of its own.
enum class PlaceCall { kStream, kOnce };

// Families by method.
struct MethodFamilies {
  prometheus::Family<prometheus::Counter>& rpcs;
  prometheus::Family<prometheus::Histogram>& durations;
  prometheus::Family<prometheus::Gauge>& open_streams;
};

// Counts the calls of one method. Thread-safe.
class MethodMetrics {
 public:
  MethodMetrics(const std::string& name, const MethodFamilies& families);

  // Returns the full name: "stowage.v1.GraphService/GetGraph".
  const std::string& name() const { return name_; }
  // Counts a call that has ended.
  void CountRpc(absl::StatusCode code, absl::Duration duration);
  // Returns how many streams are open. Look it up once, for a method that has
  // streams.
  prometheus::Gauge& open_streams();

 private:
  const std::string name_;
  const MethodFamilies families_;
  prometheus::Counter& succeeded_;
  prometheus::Histogram& duration_;
};

// Thread-safe. Does not own the registry, which must outlive it.
class CallMetrics {
 public:
  explicit CallMetrics(prometheus::Registry& registry);

  // Returns the figures of a method, which live as long as this. `method` is
  // the full name of one of our own methods.
  MethodMetrics& Of(absl::string_view method);

  // Counts an answer to a job that asked what its plan, or a policy, says.
  // `duration` is the service's own time, without gRPC's.
  void CountDecision(PlaceCall call, v1::DecisionSource source,
                     absl::Duration duration);

  // Counts a gRPC connection that was closed because no descriptor was left.
  void CountRefusedConnection() { refused_connections_.Increment(); }
  // Counts a call that the role of its caller may not make.
  void CountRefusedCall() { refused_calls_.Increment(); }

 private:
  const MethodFamilies families_;
  prometheus::Counter& refused_connections_;
  prometheus::Counter& refused_calls_;
  // By PlaceCall, by whether a policy has decided.
  std::array<std::array<prometheus::Histogram*, 2>, 2> decisions_ = {};
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, std::unique_ptr<MethodMetrics>> methods_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_METRICS_CALL_METRICS_H_
