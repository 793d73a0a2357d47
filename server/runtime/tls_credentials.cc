#include "server/runtime/tls_credentials.h"

#include "grpcpp/security/tls_certificate_provider.h"
#include "grpcpp/security/tls_credentials_options.h"

namespace stowage {
namespace {

constexpr unsigned kLookAgainSeconds = 1;

}  // namespace

std::shared_ptr<grpc::ServerCredentials> MakeTlsCredentials(
    const Certificates& certificates) {
  const TlsFiles& files = certificates.copies();
  grpc::experimental::TlsServerCredentialsOptions options(
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
          files.key, files.certificate, files.authorities, kLookAgainSeconds));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  return grpc::experimental::TlsServerCredentials(options);
}

}  // namespace stowage
