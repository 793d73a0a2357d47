// Tells which methods take and give bytes, and do by themselves what interceptors
// do for others: count the call, and refuse what is no message.
//
//   if (IsServedRaw(*info)) return nullptr;   // no interceptor
#ifndef STOWAGE_SERVER_CALLS_RAW_METHODS_H_
#define STOWAGE_SERVER_CALLS_RAW_METHODS_H_

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "grpcpp/support/server_interceptor.h"

namespace stowage {

// Returns whether the call's method is one of them: ExchangeStream's, and
// PlacementServiceImpl's GetPlan() and PlaceOnce().
inline bool IsServedRaw(const grpc::experimental::ServerRpcInfo& info) {
  return info.type() ==
             grpc::experimental::ServerRpcInfo::Type::BIDI_STREAMING ||
         absl::EndsWith(info.method(), "PlacementService/GetPlan") ||
         absl::EndsWith(info.method(), "PlacementService/PlaceOnce");
}

}  // namespace stowage

#endif  // STOWAGE_SERVER_CALLS_RAW_METHODS_H_
