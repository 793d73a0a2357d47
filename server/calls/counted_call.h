// Counts a call that interceptors do not see, and writes a log line if the
// service fails to serve it. gRPC 1.51 hands every read and write of an
// intercepted callback to another thread: an answer of a stream took 72 us in
// place of 48 (tests/bench/serving).
//
//   const CountedCall call(
//       &metrics.calls().Of("stowage.v1.PlacementService/GetPlan"), context);
//   call.End(absl::OkStatus());
#ifndef STOWAGE_SERVER_CALLS_COUNTED_CALL_H_
#define STOWAGE_SERVER_CALLS_COUNTED_CALL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "grpcpp/server_context.h"
#include "prometheus/gauge.h"
#include "server/access/call_log.h"
#include "server/access/request_id.h"
#include "server/calls/status.h"
#include "server/metrics/call_metrics.h"
#include "timing/steady_now.h"

namespace stowage {

// Begins when it is made. The metrics and the call must outlive it.
class CountedCall {
 public:
  CountedCall(MethodMetrics* metrics, grpc::ServerContextBase* context)
      : metrics_(metrics), context_(context), begin_(SteadyNow()) {}

  absl::Time begin() const { return begin_; }

  // Counts the call with the status with which it is about to end. Call it once.
  // If the service has failed, gives the client the id that its line has. A
  // stream that ends because the server drains is no failure.
  void End(const absl::Status& status) const {
    metrics_->CountRpc(status.code(), SteadyNow() - begin_);
    if (!IsOwnFailure(status.code()) || IsDraining(status)) return;
    const std::string id = RequestIdOf(context_->client_metadata());
    context_->AddTrailingMetadata(kRequestIdKey, id);
    LogCall({.method = metrics_->name(),
             .peer = context_->peer(),
             .request_id = id,
             .status = status});
  }

 private:
  MethodMetrics* const metrics_;
  grpc::ServerContextBase* const context_;
  const absl::Time begin_;
};

// Counts a stream, and that it is open until it ends.
class CountedStream {
 public:
  CountedStream(MethodMetrics* metrics, grpc::ServerContextBase* context)
      : call_(metrics, context), open_streams_(&metrics->open_streams()) {
    open_streams_->Increment();
  }

  // Does what CountedCall::End() does. Call it once.
  void End(const absl::Status& status) const {
    open_streams_->Decrement();
    call_.End(status);
  }

 private:
  CountedCall call_;
  prometheus::Gauge* open_streams_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_CALLS_COUNTED_CALL_H_
