// Counts a call that interceptors do not see, and writes a log line if the
// service fails to serve it. gRPC 1.51 hands every read and write of an
// intercepted callback to another thread: an answer of a stream took 72 us in
// place of 48 (tests/bench/serving).
//
//   const CountedCall call(&metrics, "stowage.v1.PlacementService/GetPlan",
//                          context);
//   call.End(absl::OkStatus());
#ifndef STOWAGE_SERVER_CALLS_COUNTED_CALL_H_
#define STOWAGE_SERVER_CALLS_COUNTED_CALL_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "grpcpp/server_context.h"
#include "server/access/call_log.h"
#include "server/access/request_id.h"
#include "server/calls/status.h"
#include "server/metrics/server_metrics.h"
#include "timing/steady_now.h"

namespace stowage {

// Begins when it is made. The metrics and the call must outlive it.
class CountedCall {
 public:
  // `method` is the full name, as for ServerMetrics::CountRpc().
  CountedCall(ServerMetrics* metrics, std::string method,
              grpc::ServerContextBase* context)
      : metrics_(metrics),
        method_(std::move(method)),
        context_(context),
        begin_(SteadyNow()) {}

  // Counts the call with the status with which it is about to end. Call it once.
  // If the service has failed, gives the client the id that its line has. A
  // stream that ends because the server drains is no failure.
  void End(const absl::Status& status) const {
    metrics_->CountRpc(method_, absl::StatusCodeToString(status.code()),
                       SteadyNow() - begin_);
    if (!IsOwnFailure(status.code()) || IsDraining(status)) return;
    const std::string id = RequestIdOf(context_->client_metadata());
    context_->AddTrailingMetadata(kRequestIdKey, id);
    LogCall({.method = method_,
             .peer = context_->peer(),
             .request_id = id,
             .status = status});
  }

 private:
  ServerMetrics* const metrics_;
  const std::string method_;
  grpc::ServerContextBase* const context_;
  const absl::Time begin_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_CALLS_COUNTED_CALL_H_
