// Tells clients when to ask again.
//
//   if (!made.ok()) TellWhenToRetry(made.status(), context);
#ifndef STOWAGE_SERVER_RPC_RETRY_TIME_H_
#define STOWAGE_SERVER_RPC_RETRY_TIME_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "grpcpp/server_context.h"
#include "server/placement/planning_queue.h"

namespace stowage {

// Tells clients of gRPC that retry by themselves when to do so, if the planning
// queue has refused the call.
inline void TellWhenToRetry(const absl::Status& status,
                            grpc::ServerContext* context) {
  const std::optional<absl::Duration> after = RetryAfter(status);
  if (!after.has_value()) return;
  context->AddTrailingMetadata("grpc-retry-pushback-ms",
                               absl::StrCat(absl::ToInt64Milliseconds(*after)));
}

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_RETRY_TIME_H_
