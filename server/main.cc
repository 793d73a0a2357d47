// Runs stowaged, the placement service. docs/reference-stowaged.md says how to
// use it.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "daemon/grpc_log.h"
#include "daemon/log.h"
#include "daemon/reload.h"
#include "daemon/service_manager.h"
#include "daemon/setting_value.h"
#include "daemon/signals.h"
#include "server/runtime/config.h"
#include "server/runtime/descriptor_budget.h"
#include "server/runtime/exit_code.h"
#include "server/runtime/port_file.h"
#include "server/runtime/server.h"
#include "server/storage/open_database.h"
#include "server/training/trainer_process.h"

namespace stowage {
namespace {

int Fail(const absl::Status& status, ExitCode code) {
  Log(LogLevel::kError, status.message());
  return code;
}

// Reads the configuration again, for SIGHUP.
void Reload(int argc, char** argv, Server& server,
            std::vector<SettingValue>& running) {
  const absl::StatusOr<ServerConfig> config = LoadConfig(argc, argv);
  if (!config.ok()) return LogRefusedReload(config.status());
  const ReloadedSettings reloaded =
      Reload(running, config->settings, Server::ReloadableSettings());
  server.Reload(*config);
  running = reloaded.running;
  LogReload(reloaded);
}

int Serve(const ServerConfig& config, int argc, char** argv) {
  const absl::StatusOr<DescriptorBudget> descriptors = BudgetDescriptors();
  if (!descriptors.ok()) return Fail(descriptors.status(), kExitUsage);
  absl::StatusOr<std::shared_ptr<SqlDatabase>> database =
      OpenDatabase(config.db);
  if (!database.ok()) return Fail(database.status(), kExitDatabase);
  for (const std::string& warning : (*database)->warnings()) {
    Log(LogLevel::kWarning, warning);
  }
  absl::StatusOr<std::unique_ptr<Server>> server =
      Server::Start(config, *descriptors, *database,
                    TrainerProcess({.path = config.trainer,
                                    .niceness = config.training_nice}));
  if (!server.ok()) return Fail(server.status(), kExitAddress);
  if (!config.port_file.empty()) {
    absl::Status written =
        WritePortFile(config.port_file,
                      {(*server)->grpc_address(), (*server)->metrics_address(),
                       (*server)->extender_address()});
    if (!written.ok()) return Fail(written, kExitAddress);
  }
  Log(LogLevel::kInfo, absl::StrCat("listening at ", (*server)->grpc_address()),
      {{"metrics", (*server)->metrics_address()},
       {"database", DatabaseName(config.db)}});
  TellReady();
  std::vector<SettingValue> running = config.settings;
  const int signal =
      WaitForTermination([&] { Reload(argc, argv, **server, running); });
  UnblockTermination();
  TellStopping();
  Log(LogLevel::kInfo, "draining: no longer ready", {{"signal", signal}});
  if ((*server)->Drain()) return kExitOk;
  // Nothing is lost, because what the service stores is on disk.
  Log(LogLevel::kWarning, "stopping although a cancelled plan has not ended");
  std::_Exit(kExitOk);
}

int Main(int argc, char** argv) {
  BlockSignals();
  absl::StatusOr<ServerConfig> config = LoadConfig(argc, argv);
  if (!config.ok()) {
    std::cerr << "stowaged: " << config.status().message() << std::endl;
    return kExitUsage;
  }
  if (config->check_only) {
    std::cout << ToConfigFile(config->settings);
    return kExitOk;
  }
  SetLogFormat(LogFormatOf(config->log_format));
  LogWhatGrpcSays();
  if (config->trainer.empty()) {
    absl::StatusOr<std::string> trainer = FindTrainer();
    if (!trainer.ok()) return Fail(trainer.status(), kExitUsage);
    config->trainer = *std::move(trainer);
  }
  return Serve(*config, argc, argv);
}

}  // namespace
}  // namespace stowage

int main(int argc, char** argv) { return stowage::Main(argc, argv); }
