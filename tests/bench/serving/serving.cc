// Measures how fast the service answers, beside a gRPC server that does nothing
// with messages of the same sizes.
//
//   cmake --build build --target serving
//   build/bin/serving [--seconds 2] [--rounds 5]
//
// Both are loaded in turn, by callers that ask again when they are answered (a
// closed loop) and by requests that come at random (an open one). Figures are
// medians over the rounds, with the least and the most in brackets.
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client_sdk/cpp/client.h"
#include "tests/bench/serving/chain_plan.h"
#include "tests/bench/serving/closed_loop.h"
#include "tests/bench/serving/echo_server.h"
#include "tests/bench/serving/h2load.h"
#include "tests/bench/serving/open_loop.h"
#include "tests/bench/serving/series.h"
#include "tests/e2e/server/stowaged_process.h"
#include "tests/unit/server/testing.h"

ABSL_FLAG(double, seconds, 2, "of each measurement");
ABSL_FLAG(int, rounds, 5, "of measurements");
ABSL_FLAG(std::string, only, "", "calls whose name has this in it");
ABSL_FLAG(double, open_per_second, 2000,
          "requests in the open loop; one thread sends them all");

namespace stowage {
namespace {

constexpr char kPlace[] = "/stowage.v1.PlacementService/Place";
constexpr char kPlaceOnce[] = "/stowage.v1.PlacementService/PlaceOnce";
constexpr char kGetPlan[] = "/stowage.v1.PlacementService/GetPlan";

struct Case {
  std::string name;
  Load load;  // of the service
  size_t answer_bytes = 0;
};

// What both servers did under one kind of load.
struct Comparison {
  Series echo_rate, rate, rate_ratio, p50, p99, p999, p99_ratio;

  void Add(const LoadResult& bare, const LoadResult& ours) {
    echo_rate.values.push_back(bare.answers_per_second);
    rate.values.push_back(ours.answers_per_second);
    rate_ratio.values.push_back(ours.answers_per_second /
                                bare.answers_per_second);
    p50.values.push_back(absl::ToDoubleMilliseconds(ours.p50));
    p99.values.push_back(absl::ToDoubleMilliseconds(ours.p99));
    p999.values.push_back(absl::ToDoubleMilliseconds(ours.p999));
    p99_ratio.values.push_back(absl::FDivDuration(ours.p99, bare.p99));
  }

  void Print(const Case& one, absl::string_view loop) {
    std::cout << absl::StrJoin(
                     {absl::StrCat("| ", one.name), std::string(loop),
                      absl::StrCat(one.load.callers),
                      absl::StrCat(one.answer_bytes), echo_rate.Text(0),
                      rate.Text(0), rate_ratio.Text(2), p50.Text(2),
                      p99.Text(2), p999.Text(2),
                      absl::StrCat(p99_ratio.Text(2), " |")},
                     " | ")
              << std::endl;
  }
};

absl::Status MeasureClosed(const Case& one, const Load& echo) {
  Comparison closed;
  for (int round = 0; round < absl::GetFlag(FLAGS_rounds); ++round) {
    const absl::StatusOr<LoadResult> bare = RunClosedLoop(echo);
    if (!bare.ok()) return bare.status();
    const absl::StatusOr<LoadResult> ours = RunClosedLoop(one.load);
    if (!ours.ok()) return ours.status();
    closed.Add(*bare, *ours);
  }
  closed.Print(one, "closed");
  return absl::OkStatus();
}

absl::Status MeasureOpen(const Case& one, const Load& echo) {
  const double rate = absl::GetFlag(FLAGS_open_per_second);
  Comparison open;
  for (int round = 0; round < absl::GetFlag(FLAGS_rounds); ++round) {
    const absl::StatusOr<LoadResult> bare = RunOpenLoop(echo, rate, round);
    if (!bare.ok()) return bare.status();
    const absl::StatusOr<LoadResult> ours = RunOpenLoop(one.load, rate, round);
    if (!ours.ok()) return ours.status();
    open.Add(*bare, *ours);
  }
  open.Print(one, "open");
  return absl::OkStatus();
}

absl::Status Measure(const Case& one, const std::string& echo_address) {
  Load echo = one.load;
  echo.address = echo_address;
  echo.method = absl::StrCat("/echo/", one.answer_bytes);
  if (absl::Status s = MeasureClosed(one, echo); !s.ok()) return s;
  return MeasureOpen(one, echo);
}

// Compares both servers under a load that is none of ours.
absl::Status MeasureByH2load(const std::vector<Case>& cases,
                             const std::string& echo_address) {
  std::cout << "\n| by h2load | callers | echo, a second | service, a second | "
               "service over echo |\n|---|---|---|---|---|\n";
  for (const Case& one : cases) {
    if (one.load.streams) continue;
    Load echo = one.load;
    echo.address = echo_address;
    echo.method = absl::StrCat("/echo/", one.answer_bytes);
    Series echo_rate, rate, ratio;
    for (int round = 0; round < absl::GetFlag(FLAGS_rounds); ++round) {
      const absl::StatusOr<double> bare = RunH2load(echo);
      if (!bare.ok()) return bare.status();
      const absl::StatusOr<double> ours = RunH2load(one.load);
      if (!ours.ok()) return ours.status();
      echo_rate.values.push_back(*bare);
      rate.values.push_back(*ours);
      ratio.values.push_back(*ours / *bare);
    }
    std::cout << absl::StrJoin(
                     {absl::StrCat("| ", one.name),
                      absl::StrCat(one.load.callers), echo_rate.Text(0),
                      rate.Text(0), absl::StrCat(ratio.Text(2), " |")},
                     " | ")
              << std::endl;
  }
  return absl::OkStatus();
}

// Returns calls of agents and of people, which interceptors see.
absl::StatusOr<std::vector<Case>> OtherCases(const std::string& address,
                                             Client& client) {
  v1::RegisterNodeRequest node;
  node.set_node("host");
  *node.mutable_system() = TwoTiers();
  if (auto registered = client.RegisterNode(node); !registered.ok()) {
    return registered.status();
  }
  v1::Job job;
  job.set_job_id("job");
  job.set_node("host");
  if (absl::Status started = client.StartJob(job); !started.ok()) {
    return started;
  }
  v1::HeartbeatRequest heartbeat;
  heartbeat.set_node("host");
  v1::GetJobRequest get_job;
  get_job.set_job_id("job");
  v1::GetJobResponse got;
  *got.mutable_job() = *client.GetJob("job");
  return std::vector<Case>{
      {.name = "`Heartbeat`",
       .load = {.address = address,
                .method = "/stowage.v1.NodeService/Heartbeat",
                .request = heartbeat.SerializeAsString(),
                .callers = 64},
       .answer_bytes = 0},
      {.name = "`GetJob`",
       .load = {.address = address,
                .method = "/stowage.v1.JobService/GetJob",
                .request = get_job.SerializeAsString(),
                .callers = 64},
       .answer_bytes = got.ByteSizeLong()}};
}

absl::StatusOr<std::vector<Case>> Cases(const std::string& address,
                                        Client& client) {
  const absl::StatusOr<v1::MakePlanResponse> made = MakeChainPlan(client);
  if (!made.ok()) return made.status();
  v1::GetPlanRequest get_plan;
  get_plan.set_plan_id(made->plan_id());
  v1::PlaceRequest place;
  place.set_plan_id(made->plan_id());
  place.set_kernel(kPlanKernels / 2);
  place.set_window(8);
  const absl::StatusOr<v1::PlaceResponse> placed = client.Place()->Send(place);
  if (!placed.ok()) return placed.status();
  std::vector<Case> cases;
  for (const int callers : {1, 64, 1000}) {
    cases.push_back({.name = "`Place`, streams",
                     .load = {.address = address,
                              .method = kPlace,
                              .request = place.SerializeAsString(),
                              .streams = true,
                              .callers = callers},
                     .answer_bytes = placed->ByteSizeLong()});
  }
  for (const int callers : {1, 64, 1000}) {
    cases.push_back({.name = "`PlaceOnce`",
                     .load = {.address = address,
                              .method = kPlaceOnce,
                              .request = place.SerializeAsString(),
                              .callers = callers},
                     .answer_bytes = placed->ByteSizeLong()});
  }
  for (const int callers : {1, 64}) {
    cases.push_back({.name = "`GetPlan`",
                     .load = {.address = address,
                              .method = kGetPlan,
                              .request = get_plan.SerializeAsString(),
                              .callers = callers},
                     .answer_bytes = made->plan().ByteSizeLong() + 4});
  }
  const absl::StatusOr<std::vector<Case>> others = OtherCases(address, client);
  if (!others.ok()) return others.status();
  cases.insert(cases.end(), others->begin(), others->end());
  std::erase_if(cases, [](const Case& one) {
    return !absl::StrContains(one.name, absl::GetFlag(FLAGS_only));
  });
  for (Case& one : cases) {
    one.load.time = absl::Seconds(absl::GetFlag(FLAGS_seconds));
  }
  return cases;
}

absl::Status Main() {
  const EchoServer echo;
  StowagedProcess server;
  if (!server.WaitReady()) return absl::UnavailableError(server.output());
  const std::unique_ptr<Client> client = server.Connect();
  const absl::StatusOr<std::vector<Case>> cases =
      Cases(server.grpc_address(), *client);
  if (!cases.ok()) return cases.status();
  std::cout
      << "| call | loop | callers | answer, bytes | echo, a second | service, "
         "a "
         "second | service over echo | p50, ms | p99, ms | p999, ms | p99 "
         "over echo's |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Case& one : *cases) {
    if (absl::Status s = Measure(one, echo.address()); !s.ok()) return s;
  }
  if (HasH2load()) return MeasureByH2load(*cases, echo.address());
  std::cout << "\nh2load is not installed (nghttp2-client), so no load is any "
               "but ours\n";
  return absl::OkStatus();
}

}  // namespace
}  // namespace stowage

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const absl::Status status = stowage::Main();
  if (status.ok()) return 0;
  std::cerr << "serving: " << status.message() << "\n";
  return 1;
}
