// Tells those who wait for the server that it is ready, and where it listens.
//
//   absl::Status written = WritePortFile(path, "127.0.0.1:40123", "");
#ifndef STOWAGE_SERVER_RUNTIME_PORT_FILE_H_
#define STOWAGE_SERVER_RUNTIME_PORT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stowage {

// Writes a line with the gRPC address and one with the metrics address, which
// is empty without metrics. Readers see the whole file or none. UNAVAILABLE: it
// cannot be written.
absl::Status WritePortFile(const std::string& path,
                           absl::string_view grpc_address,
                           absl::string_view metrics_address);

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_PORT_FILE_H_
