// Makes channels to the placement service with the client's limits and retries.
//
//   std::shared_ptr<grpc::Channel> channel = MakeChannel(address, options);
#ifndef STOWAGE_CLIENT_SDK_CPP_CHANNEL_H_
#define STOWAGE_CLIENT_SDK_CPP_CHANNEL_H_

#include <memory>
#include <string>

#include "client_sdk/cpp/client.h"
#include "grpcpp/channel.h"

namespace stowage {

// Returns a channel and does not block. gRPC itself retries UNAVAILABLE with
// jittered back-off, by a service config that is made from the options.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& address,
                                           const ClientOptions& options);

}  // namespace stowage

#endif  // STOWAGE_CLIENT_SDK_CPP_CHANNEL_H_
