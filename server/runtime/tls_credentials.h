// Makes the credentials of a server that speaks mutual TLS.
//
//   std::shared_ptr<grpc::ServerCredentials> credentials =
//       MakeTlsCredentials(*certificates);
//   credentials->SetAuthMetadataProcessor(access.Processor(on_refused));
#ifndef STOWAGE_SERVER_RUNTIME_TLS_CREDENTIALS_H_
#define STOWAGE_SERVER_RUNTIME_TLS_CREDENTIALS_H_

#include <memory>

#include "grpcpp/security/server_credentials.h"
#include "network/certificates.h"

namespace stowage {

// Every client must have a certificate that leads to the authorities. What the
// certificates become later counts for connections that begin then. They must
// outlive the server.
std::shared_ptr<grpc::ServerCredentials> MakeTlsCredentials(
    const Certificates& certificates);

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_TLS_CREDENTIALS_H_
