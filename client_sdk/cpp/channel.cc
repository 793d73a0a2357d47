#include "client_sdk/cpp/channel.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/security/tls_certificate_provider.h"
#include "grpcpp/security/tls_credentials_options.h"
#include "grpcpp/support/channel_arguments.h"

namespace stowage {
namespace {

// The largest message that the service accepts.
constexpr int kMaxMessageBytes = 256 << 20;

// Together, how long after a service has vanished a call ends; streams have no
// other deadline. The service accepts a ping every 10 s.
constexpr int kKeepaliveMs = 20'000;
constexpr int kKeepaliveTimeoutMs = 10'000;

// How often gRPC looks whether certificates have changed.
constexpr unsigned kLookAgainSeconds = 1;

// Returns a retry policy. `name` and `codes` are JSON.
std::string RetryPolicy(absl::string_view name, absl::string_view codes,
                        const ClientOptions& options) {
  return absl::StrFormat(
      R"json({"name": [%s], "retryPolicy": {
        "maxAttempts": %d, "initialBackoff": "%.3fs", "maxBackoff": "%.3fs",
        "backoffMultiplier": 2, "retryableStatusCodes": [%s]}})json",
      name, options.max_attempts,
      absl::ToDoubleSeconds(options.initial_backoff),
      absl::ToDoubleSeconds(options.max_backoff), codes);
}

// Returns the service config. A service with too many plans to make says when
// to ask again, and gRPC obeys.
std::string ServiceConfig(const ClientOptions& options) {
  return absl::StrCat(
      R"({"methodConfig": [)", RetryPolicy("{}", R"("UNAVAILABLE")", options),
      ", ",
      RetryPolicy(
          R"({"service": "stowage.v1.PlacementService", "method": "MakePlan"})",
          R"("UNAVAILABLE", "RESOURCE_EXHAUSTED")", options),
      "]}");
}

// What the certificates become later counts for connections that begin then.
std::shared_ptr<grpc::ChannelCredentials> CredentialsOf(
    const ClientOptions& options) {
  if (options.certificates == nullptr) {
    return grpc::InsecureChannelCredentials();
  }
  const TlsFiles& files = options.certificates->copies();
  grpc::experimental::TlsChannelCredentialsOptions tls;
  tls.set_certificate_provider(
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
          files.key, files.certificate, files.authorities, kLookAgainSeconds));
  tls.watch_root_certs();
  tls.watch_identity_key_cert_pairs();
  return grpc::experimental::TlsCredentials(tls);
}

}  // namespace

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& address,
                                           const ClientOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  if (options.max_attempts > 1) {
    arguments.SetServiceConfigJSON(ServiceConfig(options));
    // Only what fits into this buffer can be sent again, and graphs must be.
    arguments.SetInt(GRPC_ARG_PER_RPC_RETRY_BUFFER_SIZE, kMaxMessageBytes);
  }
  arguments.SetInt(
      GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS,
      static_cast<int>(absl::ToInt64Milliseconds(options.initial_backoff)));
  arguments.SetInt(
      GRPC_ARG_MAX_RECONNECT_BACKOFF_MS,
      static_cast<int>(absl::ToInt64Milliseconds(options.max_backoff)));
  if (!options.server_name.empty()) {
    arguments.SetSslTargetNameOverride(options.server_name);
  }
  return grpc::CreateCustomChannel(address, CredentialsOf(options), arguments);
}

}  // namespace stowage
