// Connects to a placement service that a flag names.
//
//   absl::StatusOr<std::unique_ptr<Client>> client =
//       ConnectToService("plans.example:7420", {.deadline = absl::Seconds(5)});
#ifndef STOWAGE_TOOLS_STOWAGE_INPUTS_SERVICE_CLIENT_H_
#define STOWAGE_TOOLS_STOWAGE_INPUTS_SERVICE_CLIENT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "client_sdk/cpp/client.h"

namespace stowage::cli {

// Connects with mutual TLS if STOWAGE_TLS_CERTIFICATE, STOWAGE_TLS_KEY and
// STOWAGE_TLS_AUTHORITIES of the environment name PEM files; STOWAGE_SERVER_NAME
// is the name that the service's certificate must have, if not the host's. Unix
// sockets are in plain text all the same: there the file system says who may
// connect. Errors are those of Client::Connect() and Certificates::Load().
absl::StatusOr<std::unique_ptr<Client>> ConnectToService(
    const std::string& address, ClientOptions options = {});

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_INPUTS_SERVICE_CLIENT_H_
