// Runs a placement service and a node agent for one run, as `ray.init()` does.
// They start if the user names none, and stop with the run.
//
//   absl::StatusOr<PrivateServices> services = PrivateServices::Start(
//       installation, {.fast = "40%"}, directory.path());
//   RunCommand(services->agent_socket());
//   services->Stop();
//
// Not thread-safe. They die with this process, however it dies.
#ifndef STOWAGE_TOOLS_STOWAGE_RUN_PRIVATE_SERVICES_H_
#define STOWAGE_TOOLS_STOWAGE_RUN_PRIVATE_SERVICES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tools/stowage/process/child_process.h"
#include "tools/stowage/process/installation.h"

namespace stowage::cli {

// What jobs get that ask for nothing else, as `stowage run` takes it.
struct ServicesOptions {
  std::string fast = "unlimited";
  std::string fast_total;        // for all jobs together; empty: no bound
  std::string slow;              // empty: the agent's default
  std::string system_path;       // of a memory system; empty: it is measured
  std::string policy;            // empty: the default policy
  std::string service_address;   // empty: a private service
  bool allow_plaintext = false;  // to a service on another host
  std::string metrics_address;   // of the private service; empty: no metrics
};

class PrivateServices {
 public:
  // Starts the services that `options` do not name, and waits at most `timeout`
  // until each is ready. Sockets, logs, reports and graphs go to `directory`,
  // which is private and not owned. UNAVAILABLE, with what the child wrote: it
  // ended, or was not ready in time.
  static absl::StatusOr<PrivateServices> Start(
      const Installation& installation, const ServicesOptions& options,
      const std::string& directory, absl::Duration timeout = absl::Seconds(30));

  // Returns the addresses of this user's private services on this host: those
  // of `stowage run` and `stowage serve`.
  static std::vector<std::string> AddressesInUse();
  // Returns the sockets of their agents.
  static std::vector<std::string> AgentSocketsInUse();

  // Returns UNAVAILABLE, with what it wrote, if one of the children has ended.
  absl::Status CheckRunning();

  // Starts again whichever child has ended, and says so on the terminal. Leaves
  // one alone that ended soon after its start. Does not wait until it is ready:
  // jobs go over to a new agent by themselves, and agents to a new service.
  void Revive();

  // Stops the agent, which writes the reports first, and then the service.
  // Blocks for some seconds at most.
  void Stop();

  const std::string& service_address() const { return service_address_; }
  // Returns where the private service serves metrics; empty: nowhere.
  const std::string& metrics_address() const { return metrics_address_; }
  const std::string& agent_socket() const { return agent_socket_; }
  // Return where the agent and the jobs leave reports, and the agent graphs.
  const std::string& report_dir() const { return report_dir_; }
  const std::string& graph_dir() const { return graph_dir_; }

 private:
  struct Daemon {
    ProcessOptions options;
    ChildProcess process;
    absl::Time started = absl::Now();
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
