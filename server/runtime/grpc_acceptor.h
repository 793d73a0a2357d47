// Accepts the connections of a gRPC server by a listener of our own.
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
// The listener of gRPC 1.51 is not reliable: when accept fails once, for want
// of a descriptor say, it gives up the socket for good and tells nobody
// (tcp_server_posix.cc, on_read), so that the service would accept nobody until
// it is started again. It has no limit of connections either.
#ifndef STOWAGE_SERVER_RUNTIME_GRPC_ACCEPTOR_H_
#define STOWAGE_SERVER_RUNTIME_GRPC_ACCEPTOR_H_

#include <memory>

#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server_builder.h"
#include "network/acceptor.h"
#include "network/listening_sockets.h"

namespace stowage {

// Returns the object that accepts connections for the server that `builder`
// builds. Start it when the server runs, and end it before the server shuts
// down.
std::unique_ptr<Acceptor> MakeGrpcAcceptor(
    ListeningSockets listening, const Acceptor::Options& options,
    std::shared_ptr<grpc::ServerCredentials> credentials,
    grpc::ServerBuilder* builder);

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_GRPC_ACCEPTOR_H_
