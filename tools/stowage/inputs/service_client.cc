#include "tools/stowage/inputs/service_client.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "network/certificates.h"

namespace stowage::cli {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> ConnectToService(
    const std::string& address, ClientOptions options) {
  const TlsFiles files = {.certificate = Variable("STOWAGE_TLS_CERTIFICATE"),
                          .key = Variable("STOWAGE_TLS_KEY"),
                          .authorities = Variable("STOWAGE_TLS_AUTHORITIES")};
  if (!files.empty() && !absl::StartsWith(address, "unix:")) {
    if (!CheckNamed(files, "").ok()) {
      return absl::InvalidArgumentError(
          "STOWAGE_TLS_CERTIFICATE, STOWAGE_TLS_KEY and "
          "STOWAGE_TLS_AUTHORITIES go together; set all three, or none");
    }
    absl::StatusOr<std::shared_ptr<Certificates>> certificates =
        Certificates::Load(files);
    if (!certificates.ok()) return certificates.status();
    options.certificates = *std::move(certificates);
    options.server_name = Variable("STOWAGE_SERVER_NAME");
  }
  return Client::Connect(address, options);
}

}  // namespace stowage::cli
