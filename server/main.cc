// stowaged: the placement service. docs/reference-stowaged.md says how to run
// it.
#include <iostream>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "server/graphs/sqlite_graph_store.h"
#include "server/runtime/config.h"
#include "server/runtime/exit_code.h"
#include "server/runtime/port_file.h"
#include "server/runtime/server.h"
#include "server/runtime/termination.h"

namespace stowage {
namespace {

int Fail(const absl::Status& status, ExitCode code) {
  std::cerr << "stowaged: " << status.message() << std::endl;
  return code;
}

int Serve(const ServerConfig& config) {
  absl::StatusOr<std::unique_ptr<GraphStore>> store =
      SqliteGraphStore::Open(config.db);
  if (!store.ok()) return Fail(store.status(), kExitDatabase);
  absl::StatusOr<std::unique_ptr<Server>> server =
      Server::Start(config, *std::move(store));
  if (!server.ok()) return Fail(server.status(), kExitAddress);
  if (!config.port_file.empty()) {
    absl::Status written =
        WritePortFile(config.port_file, (*server)->grpc_address(),
                      (*server)->metrics_address());
    if (!written.ok()) return Fail(written, kExitAddress);
  }
  std::cerr << "stowaged: listening at " << (*server)->grpc_address()
            << ", metrics at " << (*server)->metrics_address() << ", database "
            << config.db << std::endl;
  const int signal = WaitForTermination();
  std::cerr << "stowaged: draining on signal " << signal << std::endl;
  (*server)->Drain();
  return kExitOk;
}

int Main(int argc, char** argv) {
  BlockTerminationSignals();
  if (PrintedHelp(argc, argv)) return kExitOk;
  absl::StatusOr<ServerConfig> config = LoadConfig(argc, argv);
  if (!config.ok()) return Fail(config.status(), kExitUsage);
  if (config->check_only) {
    std::cout << ToString(*config);
    return kExitOk;
  }
  return Serve(*config);
}

}  // namespace
}  // namespace stowage

int main(int argc, char** argv) { return stowage::Main(argc, argv); }
