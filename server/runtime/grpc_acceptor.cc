#include "server/runtime/grpc_acceptor.h"

#include <utility>

namespace stowage {

using ::grpc::experimental::ExternalConnectionAcceptor;

std::unique_ptr<Acceptor> MakeGrpcAcceptor(
    ListeningSockets listening, const Acceptor::Options& options,
    std::shared_ptr<grpc::ServerCredentials> credentials,
    grpc::ServerBuilder* builder) {
  std::shared_ptr<ExternalConnectionAcceptor> server =
      builder->experimental().AddExternalConnectionAcceptor(
          grpc::ServerBuilder::experimental_type::ExternalConnectionType::
              FROM_FD,
          std::move(credentials));
  return std::make_unique<Acceptor>(
      std::move(listening), options,
      [server = std::move(server)](OwnedFd connection) {
        ExternalConnectionAcceptor::NewConnectionParameters handed;
        handed.listener_fd = -1;  // none that gRPC may use
        handed.fd = connection.release();
        server->HandleNewConnection(&handed);
      });
}

}  // namespace stowage
