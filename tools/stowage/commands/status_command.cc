#include "tools/stowage/commands/status_command.h"

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "client_sdk/cpp/client.h"
#include "nlohmann/json.hpp"
#include "tools/stowage/inputs/service_client.h"
#include "tools/stowage/output/exit_code.h"
#include "tools/stowage/output/table.h"
#include "tools/stowage/output/units.h"
#include "tools/stowage/run/private_services.h"

namespace stowage::cli {
namespace {

constexpr char kDefaultAddress[] = "127.0.0.1:7420";
constexpr absl::Duration kTimeout = absl::Seconds(5);
// How long to wait for a service that need not be there.
constexpr absl::Duration kShortTimeout = absl::Milliseconds(500);

struct ServiceState {
  std::string address;
  std::vector<v1::NodeSummary> nodes;
  std::vector<v1::Job> jobs;
  std::vector<v1::GraphSummary> graphs;
};

absl::StatusOr<ServiceState> FetchState(
    const std::string& address, absl::Duration connect_timeout = kTimeout) {
  absl::StatusOr<std::unique_ptr<Client>> client = ConnectToService(
      address, {.connect_timeout = connect_timeout, .deadline = kTimeout});
  if (!client.ok()) return client.status();
  absl::StatusOr<std::vector<v1::NodeSummary>> nodes = (*client)->ListNodes();
  if (!nodes.ok()) return nodes.status();
  absl::StatusOr<std::vector<v1::Job>> jobs = (*client)->ListJobs("");
  if (!jobs.ok()) return jobs.status();
  absl::StatusOr<std::vector<v1::GraphSummary>> graphs =
      (*client)->ListGraphs();
  if (!graphs.ok()) return graphs.status();
  return ServiceState{address, *std::move(nodes), *std::move(jobs),
                      *std::move(graphs)};
}

// Returns the state of the service at `address`. If it is empty, returns that
// of the service at the default address and of the private ones of runs.
absl::StatusOr<std::vector<ServiceState>> FetchStates(
    const std::string& address) {
  if (!address.empty()) {
    absl::StatusOr<ServiceState> state = FetchState(address);
    if (!state.ok()) return state.status();
    return std::vector<ServiceState>{*std::move(state)};
  }
  std::vector<ServiceState> states;
  for (const std::string& own : PrivateServices::AddressesInUse()) {
    absl::StatusOr<ServiceState> state = FetchState(own);
    // A run that has just ended does not count.
    if (state.ok()) states.push_back(*std::move(state));
  }
  absl::StatusOr<ServiceState> shared =
      FetchState(kDefaultAddress, states.empty() ? kTimeout : kShortTimeout);
  if (shared.ok()) {
    states.insert(states.begin(), *std::move(shared));
  } else if (states.empty()) {
    return shared.status();
  }
  return states;
}

const char* StateName(v1::JobState state) {
  switch (state) {
    case v1::JOB_STATE_RUNNING:
      return "running";
    case v1::JOB_STATE_FINISHED:
      return "finished";
    case v1::JOB_STATE_LOST:
      return "lost";
    default:
      return "unknown";
  }
}

bool IsResizePending(const v1::Job& job) {
  return job.resize().state() == v1::RESIZE_STATE_PENDING;
}

void AppendState(const ServiceState& state, nlohmann::json& json) {
  for (const v1::NodeSummary& node : state.nodes) {
    json["nodes"].push_back({{"service", state.address},
                             {"node", node.node()},
                             {"alive", node.alive()},
                             {"active_jobs", node.active_jobs()},
                             {"system", node.system().name()}});
  }
  for (const v1::Job& job : state.jobs) {
    json["jobs"].push_back(
        {{"service", state.address},
         {"job_id", job.job_id()},
         {"node", job.node()},
         {"command", job.command()},
         {"state", StateName(job.state())},
         {"policy", job.policy()},
         {"fast_limit_bytes", job.fast_limit_bytes()},
         {"resize_pending", IsResizePending(job)},
         {"graph_id", job.graph_id()},
         {"steps", job.steps()},
         {"last_step_duration_ns", job.last_step_duration_ns()},
         {"last_predicted_duration_ns", job.last_predicted_duration_ns()},
         {"fast_peak_bytes", job.fast_peak_bytes()},
         {"fallbacks", job.fallbacks()}});
  }
  for (const v1::GraphSummary& graph : state.graphs) {
    json["graphs"].push_back({{"service", state.address},
                              {"graph_id", graph.graph_id()},
                              {"name", graph.name()},
                              {"kernel_count", graph.kernel_count()},
                              {"tensor_count", graph.tensor_count()},
                              {"peak_bytes", graph.peak_bytes()}});
  }
}

nlohmann::json StatesToJson(const std::vector<ServiceState>& states) {
  nlohmann::json json = {{"nodes", nlohmann::json::array()},
                         {"jobs", nlohmann::json::array()},
                         {"graphs", nlohmann::json::array()}};
  for (const ServiceState& state : states) AppendState(state, json);
  return json;
}

std::string NodesText(const std::vector<v1::NodeSummary>& nodes) {
  Table table({"node", "state", "jobs", "memory system"});
  for (const v1::NodeSummary& node : nodes) {
    table.AddRow({node.node(), node.alive() ? "alive" : "lost",
                  absl::StrCat(node.active_jobs()), node.system().name()});
  }
  return table.ToText();
}

// Returns the value as text; "-" for 0, which a job has without a limit, a step
// or a plan.
std::string Known(int64_t value, std::string (*format)(int64_t)) {
  return value > 0 ? format(value) : "-";
}

std::string WantedLimit(const v1::Resize& resize) {
  if (resize.fast_limit_bytes() > 0) {
    return FormatBytes(resize.fast_limit_bytes());
  }
  if (resize.fast_limit_fraction() > 0) {
    return absl::StrCat(100 * resize.fast_limit_fraction(), " %");
  }
  return "unlimited";
}

// Returns the limit, and the one that the job is to obey when its step ends.
std::string LimitText(const v1::Job& job) {
  const std::string limit = Known(job.fast_limit_bytes(), FormatBytes);
  if (!IsResizePending(job)) return limit;
  return absl::StrCat(limit, " -> ", WantedLimit(job.resize()));
}

std::string JobsText(const std::vector<v1::Job>& jobs) {
  Table table({"job", "state", "policy", "limit", "fast peak", "steps",
               "last step", "predicted", "left plan"});
  for (const v1::Job& job : jobs) {
    table.AddRow({job.job_id(), StateName(job.state()), job.policy(),
                  LimitText(job), Known(job.fast_peak_bytes(), FormatBytes),
                  absl::StrCat(job.steps()),
                  Known(job.last_step_duration_ns(), FormatDurationNs),
                  Known(job.last_predicted_duration_ns(), FormatDurationNs),
                  absl::StrCat(job.fallbacks())});
  }
  return table.ToText();
}

std::string GraphsText(const std::vector<v1::GraphSummary>& graphs) {
  Table table({"graph", "name", "kernels", "tensors", "peak"});
  for (const v1::GraphSummary& graph : graphs) {
    table.AddRow({graph.graph_id().substr(0, 12), graph.name(),
                  absl::StrCat(graph.kernel_count()),
                  absl::StrCat(graph.tensor_count()),
                  FormatBytes(graph.peak_bytes())});
  }
  return table.ToText();
}

std::string StateText(const ServiceState& state) {
  return absl::StrCat("service at ", state.address, ": serving\n\n",
                      NodesText(state.nodes), "\n", JobsText(state.jobs), "\n",
                      GraphsText(state.graphs));
}

int Status(const std::string& address, bool json) {
  const absl::StatusOr<std::vector<ServiceState>> states = FetchStates(address);
  if (!states.ok()) return ReportError(states.status());
  if (json) {
    std::cout << StatesToJson(*states).dump(2) << "\n";
    return kExitOk;
  }
  std::cout << absl::StrJoin(*states, "\n",
                             [](std::string* text, const ServiceState& state) {
                               text->append(StateText(state));
                             });
  return kExitOk;
}

struct StatusArguments {
  std::string address;
  bool json = false;
};

}  // namespace

void AddStatusCommand(Options& root, CommandList& commands) {
  auto arguments = std::make_shared<StatusArguments>();
  Options app = root.AddSubcommand(
      "status", "Show the nodes, jobs and graphs of a service");
  app.Add("--service", arguments->address,
          "Address of the service; by default 127.0.0.1:7420 and the private "
          "ones of running jobs")
      .FromEnvironment("STOWAGE_SERVICE");
  app.AddFormat(arguments->json);
  commands.push_back({app, [arguments] {
                        return Status(arguments->address, arguments->json);
                      }});
}

}  // namespace stowage::cli
