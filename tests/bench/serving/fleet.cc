// Measures what a fleet of agents costs the service, and what it does to the
// latency of decisions.
//
//   cmake --build build --target fleet
//   build/bin/fleet [--agents 1,10,100,1000] [--jobs 10] [--seconds 15]
//
// For each number of agents it serves from a new process. A prober asks for a
// decision every 5 ms, first alone and then beside the agents.
#include <sys/resource.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client_sdk/cpp/client.h"
#include "tests/bench/serving/chain_plan.h"
#include "tests/bench/serving/simulated_agent.h"
#include "tests/e2e/server/process_usage.h"
#include "tests/e2e/server/stowaged_process.h"
#include "timing/bell.h"
#include "timing/steady_now.h"

ABSL_FLAG(std::vector<std::string>, agents,
          std::vector<std::string>({"1", "10", "100", "1000"}),
          "numbers of agents");
ABSL_FLAG(int, jobs, 10, "of each agent; each ends a step a second");
ABSL_FLAG(double, seconds, 15, "of each measurement");
ABSL_FLAG(std::string, db, ":memory:", "database of the service");

namespace stowage {
namespace {

constexpr absl::Duration kProbe = absl::Milliseconds(5);

// Every agent has a connection.
void RaiseDescriptorLimit() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

struct Latency {
  absl::Duration p50, p99;
};

// Asks for decisions on one stream, and measures how long each takes from when
// it was due.
absl::StatusOr<Latency> Probe(Client& client, const std::string& plan_id,
                              absl::Duration time) {
  const std::unique_ptr<PlaceStream> stream = client.Place();
  std::vector<absl::Duration> latencies;
  const Bell never;
  const absl::Time begin = SteadyNow();
  for (absl::Time due = begin; due < begin + time; due += kProbe) {
    never.AwaitFor(due - SteadyNow());
    v1::PlaceRequest request;
    request.set_plan_id(plan_id);
    request.set_kernel(static_cast<int>(latencies.size() % kPlanKernels));
    request.set_window(8);
    const auto answer = stream->Send(request);
    if (!answer.ok()) return answer.status();
    latencies.push_back(SteadyNow() - due);
  }
  std::sort(latencies.begin(), latencies.end());
  return Latency{latencies[latencies.size() / 2],
                 latencies[latencies.size() * 99 / 100]};
}

absl::Status Measure(int count) {
  StowagedProcess server({"--db=" + absl::GetFlag(FLAGS_db)});
  if (!server.WaitReady()) return absl::UnavailableError(server.output());
  const std::unique_ptr<Client> client = server.Connect();
  const absl::StatusOr<v1::MakePlanResponse> made = MakeChainPlan(*client);
  if (!made.ok()) return made.status();
  const absl::Duration time = absl::Seconds(absl::GetFlag(FLAGS_seconds));
  absl::Duration cpu_before = CpuTime(server.pid());
  const absl::StatusOr<Latency> idle = Probe(*client, made->plan_id(), time);
  if (!idle.ok()) return idle.status();
  const absl::Duration idle_cpu = CpuTime(server.pid()) - cpu_before;

  std::vector<std::unique_ptr<SimulatedAgent>> agents;
  for (int i = 0; i < count; ++i) {
    agents.push_back(std::make_unique<SimulatedAgent>(
        server.grpc_address(), i, absl::GetFlag(FLAGS_jobs)));
    if (absl::Status s = agents.back()->Start(); !s.ok()) return s;
  }
  cpu_before = CpuTime(server.pid());
  const absl::StatusOr<Latency> busy = Probe(*client, made->plan_id(), time);
  if (!busy.ok()) return busy.status();
  // Without what the prober takes.
  const absl::Duration cpu = CpuTime(server.pid()) - cpu_before - idle_cpu;
  const int64_t rss_bytes = ResidentBytes(server.pid());
  int64_t acknowledged = 0;
  int64_t failures = 0;
  for (const auto& agent : agents) agent->Stop();
  for (const auto& agent : agents) {
    acknowledged += agent->acknowledged();
    failures += agent->failures();
  }
  const int jobs = count * absl::GetFlag(FLAGS_jobs);
  std::cout << absl::StreamFormat(
                   "| %d | %d | %d | %d | %.0f | %.0f | %.2f | %.2f | %.2f | "
                   "%.2f | %.2f |",
                   count, jobs, acknowledged, failures,
                   static_cast<double>(rss_bytes) / (1 << 20),
                   absl::ToDoubleMicroseconds(cpu) /
                       (jobs * absl::ToDoubleSeconds(time)),
                   absl::ToDoubleMilliseconds(idle->p50),
                   absl::ToDoubleMilliseconds(busy->p50),
                   absl::ToDoubleMilliseconds(idle->p99),
                   absl::ToDoubleMilliseconds(busy->p99),
                   absl::FDivDuration(busy->p99, idle->p99))
            << std::endl;
  return absl::OkStatus();
}

absl::Status Main() {
  RaiseDescriptorLimit();
  std::cout << "| agents | jobs | steps acknowledged | failures | service, MiB "
               "| service, us a job and second | p50 idle, ms | p50 | p99 "
               "idle, ms | p99 | p99 over idle's |\n"
               "|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const std::string& text : absl::GetFlag(FLAGS_agents)) {
    int count = 0;
    if (!absl::SimpleAtoi(text, &count) || count < 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--agents has '", text, "'; name numbers from 1, with commas"));
    }
    if (absl::Status s = Measure(count); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace stowage

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const absl::Status status = stowage::Main();
  if (status.ok()) return 0;
  std::cerr << "fleet: " << status.message() << "\n";
  return 1;
}
