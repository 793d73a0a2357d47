// Runs stowaged, the placement service. docs/reference-stowaged.md says how to
// use it.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "configuration/setting_value.h"
#include "server/graphs/database.h"
#include "server/graphs/sqlite_graph_store.h"
#include "server/runtime/config.h"
#include "server/runtime/descriptor_budget.h"
#include "server/runtime/exit_code.h"
#include "server/runtime/port_file.h"
#include "server/runtime/server.h"
#include "server/runtime/termination.h"
#include "server/training/sqlite_training_store.h"
#include "server/training/trainer_process.h"

namespace stowage {
namespace {

int Fail(const absl::Status& status, ExitCode code) {
  std::cerr << "stowaged: " << status.message() << std::endl;
  return code;
}

int Serve(const ServerConfig& config) {
  const absl::StatusOr<DescriptorBudget> descriptors = BudgetDescriptors();
  if (!descriptors.ok()) return Fail(descriptors.status(), kExitUsage);
  absl::StatusOr<std::shared_ptr<SharedDatabase>> database =
      OpenDatabase(config.db);
  if (!database.ok()) return Fail(database.status(), kExitDatabase);
  for (const std::string& warning : (*database)->warnings) {
    std::cerr << "stowaged: warning: " << warning << std::endl;
  }
  absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(
      config, *descriptors,
      {.graphs = std::make_unique<SqliteGraphStore>(*database),
       .trainings = std::make_unique<SqliteTrainingStore>(*database)},
      TrainerProcess(
          {.path = config.trainer, .niceness = config.training_nice}));
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
  if ((*server)->Drain()) return kExitOk;
  // Nothing is lost, because what the service stores is on disk.
  std::cerr << "stowaged: stopping although a cancelled plan has not ended"
            << std::endl;
  std::_Exit(kExitOk);
}

int Main(int argc, char** argv) {
  BlockTerminationSignals();
  absl::StatusOr<ServerConfig> config = LoadConfig(argc, argv);
  if (!config.ok()) return Fail(config.status(), kExitUsage);
  if (config->check_only) {
    std::cout << ToConfigFile(config->settings);
    return kExitOk;
  }
  if (config->trainer.empty()) {
    absl::StatusOr<std::string> trainer = FindTrainer();
    if (!trainer.ok()) return Fail(trainer.status(), kExitUsage);
    config->trainer = *std::move(trainer);
  }
  return Serve(*config);
}

}  // namespace
}  // namespace stowage

int main(int argc, char** argv) { return stowage::Main(argc, argv); }
