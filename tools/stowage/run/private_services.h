// A placement service and a node agent of one run's own, as `ray.init()` has
// them: started where the user names none, stopped with the run.
//
//   absl::StatusOr<PrivateServices> services = PrivateServices::Start(
//       installation, {.fast = "40%"}, directory.path());
//   ... run the command with services->agent_socket() ...
//   services->Stop();
//
// Not thread-safe. They die with this process, however it dies.
#ifndef STOWAGE_TOOLS_STOWAGE_RUN_PRIVATE_SERVICES_H_
#define STOWAGE_TOOLS_STOWAGE_RUN_PRIVATE_SERVICES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/stowage/process/child_process.h"
#include "tools/stowage/process/installation.h"

namespace stowage::cli {

// What jobs get that do not ask for something else, as `stowage run` takes it.
struct ServicesOptions {
  std::string fast = "unlimited";
  std::string slow;              // empty: the agent's default
  std::string policy;            // empty: the default policy
  std::string service_address;   // empty: a private service
  bool allow_plaintext = false;  // to a service on another host
  std::string metrics_address;   // of the private service; empty: no metrics
};

class PrivateServices {
 public:
  // Starts what `options` do not name and waits until it is ready, at most
  // `timeout` each. `directory` (private, not owned) takes sockets, logs,
  // reports and graphs. UNAVAILABLE with what the child wrote when it ends or
  // is not ready in time.
  static absl::StatusOr<PrivateServices> Start(
      const Installation& installation, const ServicesOptions& options,
      const std::string& directory, absl::Duration timeout = absl::Seconds(30));

  // The addresses of the private services of this user that are in use on this
  // host: those of `stowage run` and `stowage serve`.
  static std::vector<std::string> AddressesInUse();

  // UNAVAILABLE with what it wrote, when one of those started has ended.
  absl::Status CheckRunning();

  // Stops the agent, which then has written the reports, and the service.
  // Blocks for at most some seconds.
  void Stop();

  const std::string& service_address() const { return service_address_; }
  // Where the private service serves metrics; empty: nowhere.
  const std::string& metrics_address() const { return metrics_address_; }
  // The name under which the agent registers this host.
  const std::string& node() const { return node_; }
  const std::string& agent_socket() const { return agent_socket_; }
  // Where the agent and the jobs leave reports, and the agent graphs.
  const std::string& report_dir() const { return report_dir_; }
  const std::string& graph_dir() const { return graph_dir_; }

 private:
  struct Daemon {
    ProcessOptions options;
    ChildProcess process;
  };

  PrivateServices() = default;
  absl::Status StartService(const Installation& installation,
                            const ServicesOptions& options,
                            const std::string& directory,
                            absl::Duration timeout);
  absl::Status StartAgent(const Installation& installation,
                          const ServicesOptions& options,
                          const std::string& directory, absl::Duration timeout);
  // Starts the program and waits until it has written `ready_path`.
  static absl::StatusOr<Daemon> StartDaemon(ProcessOptions options,
                                            const std::string& ready_path,
                                            absl::Duration timeout);

  std::string service_address_;
  std::string metrics_address_;
  std::string node_;
  std::string agent_socket_;
  std::string report_dir_;
  std::string graph_dir_;
  std::optional<Daemon> service_;
  std::optional<Daemon> agent_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_RUN_PRIVATE_SERVICES_H_
