// Accepts the connections of a gRPC server with our own listener.
//
//   grpc::ServerBuilder builder;
//   std::unique_ptr<Acceptor> acceptor = MakeGrpcAcceptor(
//       *Listen("127.0.0.1:0"), {.spare_descriptors = 16}, credentials,
//       &builder);
//   std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
//   absl::Status accepting = acceptor->Start();
//   acceptor.reset();  // before it shuts down
//   server->Shutdown();
//
// The listener of gRPC 1.51 is not reliable. When accept() fails once, because
// no descriptor is left, say, it gives up the socket for good and tells nobody
// (tcp_server_posix.cc, on_read). The service would then accept nobody until it
// is started again. That listener has no limit on connections either.
#ifndef STOWAGE_SERVER_RUNTIME_GRPC_ACCEPTOR_H_
#define STOWAGE_SERVER_RUNTIME_GRPC_ACCEPTOR_H_

#include <memory>

#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server_builder.h"
#include "network/acceptor.h"
#include "network/listening_sockets.h"

namespace stowage {

// Returns an acceptor for the server that `builder` builds. Start it when the
// server runs, and delete it before the server shuts down.
std::unique_ptr<Acceptor> MakeGrpcAcceptor(
    ListeningSockets listening, const Acceptor::Options& options,
    std::shared_ptr<grpc::ServerCredentials> credentials,
    grpc::ServerBuilder* builder);

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_GRPC_ACCEPTOR_H_
