// Plans graphs with several policies and prints one line per plan, with the
// lower bound, so that planners can be compared and tuned. Not a test.
//
//   planners --system optane --ratios 0.2,0.4 --policies annealed-search,belady
//     graph.pb.gz training:130
//
// "training:N" is the tests' training step with N layers, "random:N" the random
// graph of seed N. "SMALL,LARGER@BATCH" names two captures (MODEL-bBATCH),
// whose step is scaled to a batch, without workspaces, as the suites do.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "policies/bound/lower_bound.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/registry.h"
#include "policies/scaling/batch_scaling.h"
#include "policies/scaling/rehosting.h"
#include "policies/scaling/workspaces.h"
#include "policies/simulate/simulator.h"
#include "policies/verify/verifier.h"
#include "server/placement/call_both.h"
#include "tests/unit/policies/random_graph.h"

ABSL_FLAG(std::string, system, "g10-a100", "preset of the memory system");
ABSL_FLAG(std::vector<std::string>, ratios, {"0.2"},
          "fast memory as shares of the graph's peak");
ABSL_FLAG(int64_t, fast_bytes, 0, "fast memory in bytes; replaces --ratios");
ABSL_FLAG(std::vector<std::string>, policies, {"annealed-search"},
          "policies to run");
ABSL_FLAG(std::vector<std::string>, perturb, {},
          "percents by which kernel times are perturbed under a fixed plan");
ABSL_FLAG(double, time_limit_s, 0, "PlanOptions::time_limit");
ABSL_FLAG(int64_t, seed, 0, "PlanOptions::seed");
ABSL_FLAG(bool, rehost, false, "rehost durations to the system's processor");
ABSL_FLAG(bool, bound, true, "compute the lower bound, for comparison");

namespace stowage::policies {
namespace {

Graph LoadFile(absl::string_view path) {
  std::ifstream file{std::string(path), std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return *GraphFromProto(*ParseGraph(bytes));
}

// Returns the batch of a capture named MODEL-bBATCH.pb.gz.
int64_t BatchOf(absl::string_view path) {
  int64_t batch = 0;
  path.remove_prefix(path.rfind("-b") + 2);
  if (!absl::SimpleAtoi(path.substr(0, path.find('.')), &batch)) return 0;
  return batch;
}

// Loads "SMALL,LARGER@BATCH".
Graph LoadScaled(absl::string_view name) {
  const std::vector<std::string> parts =
      absl::StrSplit(name, absl::ByAnyChar(",@"));
  int64_t batch = 0;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[2], &batch)) return {};
  const Graph small = LoadFile(parts[0]), larger = LoadFile(parts[1]);
  return WithoutWorkspaces(*ScaleBatch({small, BatchOf(parts[0])},
                                       {larger, BatchOf(parts[1])}, batch));
}

Graph Load(absl::string_view name) {
  int64_t number = 0;
  if (absl::ConsumePrefix(&name, "training:") &&
      absl::SimpleAtoi(name, &number)) {
    return TrainingStepGraph(static_cast<int>(number), 1);
  }
  if (absl::ConsumePrefix(&name, "random:") &&
      absl::SimpleAtoi(name, &number)) {
    return RandomGraph(number);
  }
  if (absl::StrContains(name, '@')) return LoadScaled(name);
  return LoadFile(name);
}

int64_t PeakRssBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

// Returns the step time of the same plan if each kernel takes a share of
// -percent .. percent more, over what it takes if no kernel ever waits.
double WorstOverhead(const Graph& graph, const MemorySystem& system,
                     const Plan& plan, int percent) {
  double worst = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    std::mt19937_64 engine(seed);
    Graph perturbed = graph;
    int64_t kernels_ns = 0;
    for (Kernel& kernel : perturbed.kernels) {
      const double share =
          (static_cast<double>(engine() % 2001) / 1000 - 1) * percent / 100;
      int64_t& ns = kernel.profile.fast_inputs_fast_outputs.duration_ns;
      ns += static_cast<int64_t>(share * static_cast<double>(ns));
      kernels_ns += ns + kernel.gap_ns;
    }
    const auto simulation = Simulate(perturbed, system, plan);
    worst = std::max(
        worst,
        static_cast<double>(simulation->prediction.step_time_ns) / kernels_ns);
  }
  return worst;
}

void Report(const Graph& graph, const MemorySystem& system, int64_t limit_bytes,
            int64_t bound_ns, const std::string& policy) {
  const PlanOptions options{
      .fast_limit_bytes = limit_bytes,
      .seed = absl::GetFlag(FLAGS_seed),
      .time_limit = absl::Seconds(absl::GetFlag(FLAGS_time_limit_s)),
      .call_both = CallBothAtOnce};
  int64_t fast_ns = 0;
  for (const Kernel& kernel : graph.kernels) {
    fast_ns +=
        kernel.gap_ns + kernel.profile.fast_inputs_fast_outputs.duration_ns;
  }
  const absl::Time begin = absl::Now();
  const std::clock_t cpu_begin = std::clock();
  const absl::StatusOr<Plan> plan =
      (*MakePolicy(policy))->MakePlan(graph, system, options);
  const double seconds = absl::ToDoubleSeconds(absl::Now() - begin);
  const double cpu_seconds =
      static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
  if (!plan.ok()) {
    std::cout << policy << ": " << plan.status().message() << "\n";
    return;
  }
  const absl::Status verified = VerifyPlan(graph, system, *plan);
  std::printf(
      "%-20s %-9s %8.3f GB %-14s %12.6f s %8.5f x fast  %7.4f x bound  plan "
      "%7.3f s (%.3f s of CPU)"
      "  rss %4ld MB %s\n",
      graph.name.c_str(), system.name.c_str(), limit_bytes / 1e9,
      policy.c_str(), plan->prediction.step_time_ns / 1e9,
      static_cast<double>(plan->prediction.step_time_ns) / fast_ns,
      static_cast<double>(plan->prediction.step_time_ns) / bound_ns, seconds,
      cpu_seconds, static_cast<long>(PeakRssBytes() >> 20),
      verified.ok() ? "" : verified.ToString().c_str());
  for (const std::string& percent : absl::GetFlag(FLAGS_perturb)) {
    int share = 0;
    if (!absl::SimpleAtoi(percent, &share)) continue;
    std::printf("  kernels +-%d %%: at worst %.5f x their time\n", share,
                WorstOverhead(graph, system, *plan, share));
  }
  std::fflush(stdout);
}

void Run(const std::vector<char*>& names) {
  const MemorySystem system = *PresetMemorySystem(absl::GetFlag(FLAGS_system));
  for (const char* name : names) {
    Graph graph = Load(name);
    if (absl::GetFlag(FLAGS_rehost) && NeedsRehosting(graph, system)) {
      graph = Rehost(std::move(graph), system);
    }
    std::vector<int64_t> limits;
    for (const std::string& text : absl::GetFlag(FLAGS_ratios)) {
      double ratio = 0;
      if (!absl::SimpleAtod(text, &ratio)) continue;
      limits.push_back(ratio * ComputeLiveness(graph).peak_bytes);
    }
    if (absl::GetFlag(FLAGS_fast_bytes) > 0) {
      limits = {absl::GetFlag(FLAGS_fast_bytes)};
    }
    for (const int64_t limit : limits) {
      const absl::Time begin = absl::Now();
      const int64_t bound_ns =
          absl::GetFlag(FLAGS_bound) ? LowerBoundNs(graph, system, limit) : 1;
      std::printf("%-20s bound %.9f s, found in %.3f s\n", graph.name.c_str(),
                  bound_ns / 1e9, absl::ToDoubleSeconds(absl::Now() - begin));
      for (const std::string& policy : absl::GetFlag(FLAGS_policies)) {
        Report(graph, system, limit, bound_ns, policy);
      }
    }
  }
}

}  // namespace
}  // namespace stowage::policies

int main(int argc, char** argv) {
  std::vector<char*> names = absl::ParseCommandLine(argc, argv);
  names.erase(names.begin());
  stowage::policies::Run(names);
}
