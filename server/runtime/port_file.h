// Tells those who wait for the server that it is ready, and where it listens.
//
//   absl::Status written = WritePortFile(path, {"127.0.0.1:40123", "", ""});
#ifndef STOWAGE_SERVER_RUNTIME_PORT_FILE_H_
#define STOWAGE_SERVER_RUNTIME_PORT_FILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace stowage {

// Writes a line with each address: of gRPC, of the metrics and of the extender.
// What is not served has an empty line. Readers see the whole file or none.
// UNAVAILABLE: it cannot be written.
absl::Status WritePortFile(const std::string& path,
                           const std::vector<std::string>& addresses);

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_PORT_FILE_H_
