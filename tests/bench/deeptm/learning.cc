// Trains DeepTM's DQN on graphs with several seeds and sets its plans beside
// those of other policies and of networks with random weights.
//
//   deeptm_learning --ratio 0.2 --seeds 3 --curve curve.csv graph.pb.gz
//
// Prints one line per policy; relative performance is the all-fast step time
// over the policy's. Exits with 1 if on some graph a trained policy is not
// faster than first-touch, lru and all random weights.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/time/clock.h"
#include "policies/deeptm/dqn/dqn_decider.h"
#include "policies/deeptm/dqn/dqn_planner.h"
#include "policies/deeptm/dqn/dqn_training.h"
#include "policies/deeptm/dqn/dqn_weights.h"
#include "policies/deeptm/dqn/q_network.h"
#include "policies/model/codec.h"
#include "policies/model/graph_proto.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/scaling/rehosting.h"
#include "policies/verify/verifier.h"

ABSL_FLAG(std::string, system, "optane", "preset of the memory system");
ABSL_FLAG(double, ratio, 0.2,
          "fast memory as a share of the graph's peak; the least that works "
          "where that is more");
ABSL_FLAG(int, seeds, 3, "trainings per graph");
ABSL_FLAG(int, first_seed, 1, "of the trainings");
ABSL_FLAG(std::vector<std::string>, policies,
          (std::vector<std::string>{"first-touch", "lru", "deeptm-heat-sync",
                                    "deeptm-heat", "belady",
                                    "annealed-search"}),
          "policies to compare with");
ABSL_FLAG(std::string, curve, "", "CSV file for the reward curves");
ABSL_FLAG(bool, synchronous, false, "DqnSettings::migration");
ABSL_FLAG(int, episodes, 200, "DqnSettings::episodes");
ABSL_FLAG(int, greedy_episodes, 150, "DqnSettings::greedy_episodes");
ABSL_FLAG(double, learning_rate, 1e-3, "DqnSettings::learning_rate");
ABSL_FLAG(double, last_learning_rate, 1e-4, "DqnSettings::last_learning_rate");
ABSL_FLAG(double, discount, 0.99, "DqnSettings::discount");
ABSL_FLAG(double, beta, 1,
          "DqnSettings::cost_priority; 1, since time is what is compared");
ABSL_FLAG(double, fixed_reward, 50, "DqnSettings::fixed_reward");
ABSL_FLAG(int, replay_size, 10000, "DqnSettings::replay_size");
ABSL_FLAG(int, hidden_units, 32, "DqnSettings::hidden_units");
ABSL_FLAG(double, oom_penalty, 2, "DqnSettings::oom_penalty");
ABSL_FLAG(double, reward_bound, 1, "DqnSettings::reward_bound");
ABSL_FLAG(double, value_bound, 3, "DqnSettings::value_bound");
ABSL_FLAG(int, updates, 256, "DqnSettings::updates_per_episode");
ABSL_FLAG(bool, heat_alone, false, "DqnSettings::heat_alone");
ABSL_FLAG(double, oom_tolerance, 1.5, "DqnSettings::oom_tolerance");
ABSL_FLAG(std::string, save, "", "where to write the last policy trained");
ABSL_FLAG(std::string, weights, "",
          "a policy trained for another graph whose weights to plan with, too");
ABSL_FLAG(bool, decisions, false, "time decisions, too");

namespace stowage::policies {
namespace {

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6;
}

DqnSettings Settings() {
  DqnSettings settings;
  settings.episodes = absl::GetFlag(FLAGS_episodes);
  settings.greedy_episodes = absl::GetFlag(FLAGS_greedy_episodes);
  settings.learning_rate = absl::GetFlag(FLAGS_learning_rate);
  settings.last_learning_rate = absl::GetFlag(FLAGS_last_learning_rate);
  settings.discount = absl::GetFlag(FLAGS_discount);
  settings.cost_priority = absl::GetFlag(FLAGS_beta);
  settings.fixed_reward = absl::GetFlag(FLAGS_fixed_reward);
  settings.replay_size = absl::GetFlag(FLAGS_replay_size);
  settings.hidden_units = absl::GetFlag(FLAGS_hidden_units);
  settings.oom_penalty = absl::GetFlag(FLAGS_oom_penalty);
  settings.reward_bound = absl::GetFlag(FLAGS_reward_bound);
  settings.value_bound = absl::GetFlag(FLAGS_value_bound);
  settings.updates_per_episode = absl::GetFlag(FLAGS_updates);
  settings.heat_alone = absl::GetFlag(FLAGS_heat_alone);
  settings.oom_tolerance = absl::GetFlag(FLAGS_oom_tolerance);
  if (absl::GetFlag(FLAGS_synchronous)) {
    settings.migration = MigrationMode::kSynchronous;
  }
  return settings;
}

struct Bench {
  Graph graph;
  MemorySystem system;
  PlanOptions options;
  double fast_ns = 0;
};

std::optional<Bench> Load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto proto = ParseGraph(bytes);
  if (!proto.ok()) {
    std::cerr << path << ": " << proto.status().message() << "\n";
    return std::nullopt;
  }
  Bench bench{*GraphFromProto(*proto),
              *PresetMemorySystem(absl::GetFlag(FLAGS_system)),
              {},
              0};
  if (NeedsRehosting(bench.graph, bench.system)) {
    bench.graph = Rehost(std::move(bench.graph), bench.system);
  }
  const auto share = static_cast<int64_t>(
      absl::GetFlag(FLAGS_ratio) * ComputeLiveness(bench.graph).peak_bytes);
  bench.options.fast_limit_bytes =
      std::max(share, FindLeastLimit(bench.graph, bench.system).bytes);
  for (const Kernel& kernel : bench.graph.kernels) {
    bench.fast_ns +=
        kernel.gap_ns + kernel.profile.fast_inputs_fast_outputs.duration_ns;
  }
  return bench;
}

double Show(const Bench& bench, const std::string& label,
            const absl::StatusOr<Plan>& plan, double seconds) {
  if (!plan.ok()) {
    std::printf("  %-22s %s\n", label.c_str(),
                std::string(plan.status().message()).c_str());
    return 0;
  }
  const absl::Status verified = VerifyPlan(bench.graph, bench.system, *plan);
  const double performance = bench.fast_ns / plan->prediction.step_time_ns;
  std::printf(
      "  %-22s performance %.4f  step %.4f s  stall %.4f s  moved %.3f GB  "
      "in %.2f s %s\n",
      label.c_str(), performance, plan->prediction.step_time_ns / 1e9,
      plan->prediction.stall_ns / 1e9,
      (plan->prediction.moved_in_bytes + plan->prediction.moved_out_bytes) /
          1e9,
      seconds, verified.ok() ? "" : verified.ToString().c_str());
  std::fflush(stdout);
  return performance;
}

double Compare(const Bench& bench, const std::string& name,
               const Policy& policy) {
  const absl::Time begin = absl::Now();
  const auto plan = policy.MakePlan(bench.graph, bench.system, bench.options);
  return Show(bench, name, plan, absl::ToDoubleSeconds(absl::Now() - begin));
}

void TimeDecisions(const Bench& bench, const DqnPolicy& policy) {
  const auto decider = DqnDecider::Make(policy, bench.graph, bench.system);
  if (!decider.ok()) return;
  for (KernelIndex k = 0; k < bench.graph.kernel_count(); ++k) {
    KernelSituation situation{.kernel = k, .living = {}, .fast_left_bytes = 1};
    for (TensorIndex t = 0; t < bench.graph.tensor_count(); ++t) {
      if (situation.living.size() == 256) break;
      if (AliveAt(bench.graph.tensors[t], k)) {
        situation.living.push_back({t, Position::kFast});
      }
    }
    const auto actions = decider->Decide(situation);
    if (actions->size() < 200) continue;
    constexpr int kRepeats = 2000;
    std::vector<double> us;
    for (int i = 0; i < kRepeats; ++i) {
      const absl::Time begin = absl::Now();
      (void)decider->Decide(situation);
      us.push_back(absl::ToDoubleMicroseconds(absl::Now() - begin));
    }
    std::sort(us.begin(), us.end());
    std::printf(
        "  decision for %zu tensors: median %.1f us, 99 %% below %.1f us\n",
        actions->size(), us[kRepeats / 2], us[kRepeats * 99 / 100]);
    return;
  }
}

// Returns the performance of the trained policy's plan.
double Train(const Bench& bench, int64_t seed, std::ofstream& curve) {
  const absl::Time begin = absl::Now();
  const double cpu_begin = CpuSeconds();
  const auto policy = TrainDqn(
      bench.graph, bench.system, bench.options.fast_limit_bytes, Settings(),
      seed, nullptr, [&](const EpisodeReport& report) {
        curve << bench.graph.name << ',' << seed << ',' << report.episode << ','
              << report.greedy_probability << ',' << report.loss << ','
              << report.reward << ',' << report.episodic_reward << ','
              << report.step_time_ns << ',' << report.out_of_memory << '\n';
        return true;
      });
  const double seconds = absl::ToDoubleSeconds(absl::Now() - begin);
  std::printf("  trained in %.1f s, of which %.1f s on a processor\n", seconds,
              CpuSeconds() - cpu_begin);
  if (!policy.ok()) {
    std::cerr << policy.status() << "\n";
    return 0;
  }
  if (const std::string path = absl::GetFlag(FLAGS_save); !path.empty()) {
    std::ofstream(path, std::ios::binary) << EncodeDqnPolicy(*policy);
  }
  const double performance = Show(
      bench, "deeptm, seed " + std::to_string(seed),
      PlanWithDqn(*policy, bench.graph, bench.system, bench.options), seconds);
  if (absl::GetFlag(FLAGS_decisions)) TimeDecisions(bench, *policy);
  return performance;
}

double PlanWithRandomWeights(const Bench& bench, int64_t seed) {
  const DqnSettings settings = Settings();
  const DqnPolicy policy{
      .graph_id = GraphId(bench.graph),
      .system = bench.system.name,
      .system_digest = MemorySystemDigest(bench.system),
      .fast_limit_bytes = bench.options.fast_limit_bytes,
      .settings = settings,
      .weights = PackWeights(RandomWeights(ShapeOf(settings), seed))};
  return Show(bench, "random weights, seed " + std::to_string(seed),
              PlanWithDqn(policy, bench.graph, bench.system, bench.options), 0);
}

// Says what weights that were trained for another graph do for this one.
void PlanWithTransfer(const Bench& bench) {
  std::ifstream file(absl::GetFlag(FLAGS_weights), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  auto policy = DecodeDqnPolicy(bytes);
  if (!policy.ok()) {
    std::cerr << policy.status() << "\n";
    return;
  }
  policy->graph_id = GraphId(bench.graph);
  policy->system_digest = MemorySystemDigest(bench.system);
  for (const MigrationMode mode :
       {MigrationMode::kAsynchronous, MigrationMode::kSynchronous}) {
    policy->settings.migration = mode;
    const absl::Time begin = absl::Now();
    const auto plan =
        PlanWithDqn(*policy, bench.graph, bench.system, bench.options);
    Show(bench,
         mode == MigrationMode::kSynchronous ? "transfer, sync" : "transfer",
         plan, absl::ToDoubleSeconds(absl::Now() - begin));
  }
}

bool Run(const Bench& bench, std::ofstream& curve) {
  std::printf(
      "%s: %d kernels, %d tensors, peak %.3f GB, fast %.3f GB, %s, durations "
      "%s\n",
      bench.graph.name.c_str(), bench.graph.kernel_count(),
      bench.graph.tensor_count(), ComputeLiveness(bench.graph).peak_bytes / 1e9,
      bench.options.fast_limit_bytes / 1e9, bench.system.name.c_str(),
      std::string(DurationOrigin(bench.graph)).c_str());
  double to_beat = 0, worst = 1e9;
  for (const std::string& name : absl::GetFlag(FLAGS_policies)) {
    const double performance = Compare(bench, name, **MakePolicy(name));
    if (name == "first-touch" || name == "lru") {
      to_beat = std::max(to_beat, performance);
    }
  }
  if (!absl::GetFlag(FLAGS_weights).empty()) PlanWithTransfer(bench);
  const int first = absl::GetFlag(FLAGS_first_seed);
  const int end = first + absl::GetFlag(FLAGS_seeds);
  for (int seed = first; seed < end; ++seed) {
    to_beat = std::max(to_beat, PlanWithRandomWeights(bench, seed));
  }
  for (int seed = first; seed < end; ++seed) {
    worst = std::min(worst, Train(bench, seed, curve));
  }
  std::printf("  %s: worst %.4f, to beat %.4f\n",
              worst > to_beat ? "learnt" : "NOT LEARNT", worst, to_beat);
  return worst > to_beat;
}

}  // namespace
}  // namespace stowage::policies

int main(int argc, char** argv) {
  const std::vector<char*> paths = absl::ParseCommandLine(argc, argv);
  std::ofstream curve(absl::GetFlag(FLAGS_curve));
  curve << "graph,seed,episode,greedy_probability,loss,reward,"
           "episodic_reward,step_time_ns,out_of_memory\n";
  bool learnt = true;
  for (size_t i = 1; i < paths.size(); ++i) {
    const auto bench = stowage::policies::Load(paths[i]);
    learnt =
        bench.has_value() && stowage::policies::Run(*bench, curve) && learnt;
  }
  return learnt ? 0 : 1;
}
