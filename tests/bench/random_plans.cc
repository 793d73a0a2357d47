// Plans random graphs with every policy under several limits, and verifies
// every plan. Not a test: 10,000 graphs take hours. A seed is a graph on a
// system. Of 20 graphs, 16 have up to 6 kernels, 3 up to 12 and one up to 24;
// every third offers a choice of implementations; systems take turns. It runs
// in slices that can be resumed where they ended. Progress goes to stderr; what
// was wrong and what was done goes to stdout.
//
//   random_plans --first 1 --count 1000        graphs 1 to 1000
//   random_plans --first 1001 --count 1000 --policies annealed-search,belady
//
// Integer programs are cut off after a number of nodes, not by the clock, so
// that a seed is the same work everywhere.
//
// Exits with 1 when a plan was rejected, when a policy failed under a limit for
// which a plan exists, or when one plan was faster than the lower bound.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "policies/autotm/autotm.h"
#include "policies/bound/lower_bound.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/solver/cbc.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/random_graph.h"

ABSL_FLAG(int64_t, first, 1, "seed of the first graph");
ABSL_FLAG(int64_t, count, 100, "graphs of this slice");
ABSL_FLAG(std::vector<std::string>, policies, {"all"}, "policies to run");
ABSL_FLAG(std::vector<std::string>, systems,
          (std::vector<std::string>{"optane", "gpu-pcie", "file", "g10-a100"}),
          "presets");
ABSL_FLAG(std::vector<std::string>, limits,
          (std::vector<std::string>{"0", "0.3", "0.7"}),
          "limits: 0 is the least that works, 1 the peak");
ABSL_FLAG(int, nodes, 50, "most nodes of an integer program");
ABSL_FLAG(double, progress_s, 60, "seconds between lines of progress");

namespace stowage::policies {
namespace {

// Returns whether the policy may refuse. A limit under which some plan exists
// may still allow none to a policy that promises one placement, or uses slow
// memory in place; the policy then says so.
bool MayRefuse(const std::string& policy, const absl::Status& status) {
  static const std::set<std::string> kNarrow = {
      "all-fast", "all-slow", "autotm-static", "first-touch", "hardware-cache"};
  return absl::IsFailedPrecondition(status) && kNarrow.count(policy) > 0;
}

// Solves with CBC and fewer nodes than a policy asks for.
class BriefSolver : public Solver {
 public:
  const char* name() const override { return cbc_.name(); }
  Solution Solve(const LinearProgram& program,
                 const SolveOptions& options) const override {
    SolveOptions brief = options;
    brief.node_limit = std::min(brief.node_limit, absl::GetFlag(FLAGS_nodes));
    return cbc_.Solve(program, brief);
  }

 private:
  CbcSolver cbc_;
};

std::unique_ptr<Policy> MakeBriefPolicy(const std::string& name) {
  const auto autotm = [](Movement movement) {
    return std::make_unique<AutoTmPolicy>(movement,
                                          std::make_shared<BriefSolver>());
  };
  if (name == "autotm-static") return autotm(Movement::kStatic);
  if (name == "autotm-sync") return autotm(Movement::kSynchronous);
  if (name == "autotm-async") return autotm(Movement::kAsynchronous);
  return *MakePolicy(name);
}

Graph GraphOf(int64_t seed) {
  const GraphSize size = seed % 20 == 0  ? GraphSize{}
                         : seed % 20 < 4 ? GraphSize{12, 20}
                                         : GraphSize{6, 12};
  Graph graph = RandomGraph(static_cast<uint64_t>(seed), size);
  if (seed % 3 != 0) return graph;
  return WithAlternatives(std::move(graph), static_cast<uint64_t>(seed));
}

struct Tally {
  int64_t planned = 0;
  int64_t refused = 0;
  int64_t wrong = 0;
  absl::Duration time;
};

class Checker {
 public:
  // Returns false if something was wrong.
  bool Check(int64_t seed, const Graph& graph, const MemorySystem& system,
             int64_t limit_bytes, const std::vector<std::string>& policies) {
    const int64_t bound_ns =
        LowerBoundNs(graph, system, limit_bytes, {.iterations = 10});
    bool right = true;
    for (const std::string& name : policies) {
      right &= CheckPolicy(seed, graph, system, limit_bytes, bound_ns, name);
    }
    return right;
  }

  void Print() const {
    for (const auto& [policy, tally] : tallies_) {
      std::printf(
          "%-18s %8ld plans verified, %6ld refused, %ld wrong, %.1f s\n",
          policy.c_str(), static_cast<long>(tally.planned),
          static_cast<long>(tally.refused), static_cast<long>(tally.wrong),
          absl::ToDoubleSeconds(tally.time));
    }
  }

  Tally Total() const {
    Tally total;
    for (const auto& [policy, tally] : tallies_) {
      total.planned += tally.planned;
      total.refused += tally.refused;
      total.wrong += tally.wrong;
    }
    return total;
  }

 private:
  bool CheckPolicy(int64_t seed, const Graph& graph, const MemorySystem& system,
                   int64_t limit_bytes, int64_t bound_ns,
                   const std::string& name) {
    Tally& tally = tallies_[name];
    const absl::Time begin = absl::Now();
    const absl::StatusOr<Plan> plan = MakeBriefPolicy(name)->MakePlan(
        graph, system, {.fast_limit_bytes = limit_bytes});
    tally.time += absl::Now() - begin;
    std::string fault;
    if (!plan.ok()) {
      if (MayRefuse(name, plan.status())) {
        ++tally.refused;
        return true;
      }
      fault = plan.status().ToString();
    } else if (const absl::Status verdict = VerifyPlan(graph, system, *plan);
               !verdict.ok()) {
      fault = verdict.ToString();
    } else if (name != "hardware-cache" &&  // its time is a cache model's
               plan->prediction.step_time_ns < bound_ns) {
      fault = "faster than the lower bound";
    }
    if (fault.empty()) {
      ++tally.planned;
      return true;
    }
    ++tally.wrong;
    std::printf("graph %ld, %s, %ld bytes, %s: %s\n", static_cast<long>(seed),
                system.name.c_str(), static_cast<long>(limit_bytes),
                name.c_str(), fault.c_str());
    std::fflush(stdout);
    return false;
  }

  std::map<std::string, Tally> tallies_;
};

int64_t LimitAt(const Graph& graph, const MemorySystem& system, double share) {
  const int64_t least = FindLeastLimit(graph, system).bytes;
  const int64_t peak = std::max(least, ComputeLiveness(graph).peak_bytes);
  return least +
         static_cast<int64_t>(share * static_cast<double>(peak - least));
}

// Says now and then how far a slice is.
class Progress {
 public:
  Progress(int64_t first, int64_t last) : first_(first), last_(last) {}

  void Report(int64_t seed, const Tally& total) {
    const absl::Duration every = absl::Seconds(absl::GetFlag(FLAGS_progress_s));
    const absl::Time now = absl::Now();
    if (now - reported_ < every && seed != last_) return;
    reported_ = now;
    const double rate = static_cast<double>(seed - first_ + 1) /
                        absl::ToDoubleSeconds(now - begin_);
    std::fprintf(stderr,
                 "graph %ld of %ld to %ld: %ld plans verified, %ld refused, "
                 "%ld wrong; %.1f graphs a second, %.0f s left\n",
                 static_cast<long>(seed), static_cast<long>(first_),
                 static_cast<long>(last_), static_cast<long>(total.planned),
                 static_cast<long>(total.refused),
                 static_cast<long>(total.wrong), rate,
                 static_cast<double>(last_ - seed) / rate);
  }

 private:
  const int64_t first_, last_;
  const absl::Time begin_ = absl::Now();
  absl::Time reported_ = begin_;
};

std::vector<double> LimitShares() {
  std::vector<double> shares;
  for (const std::string& text : absl::GetFlag(FLAGS_limits)) {
    double share = 0;
    if (absl::SimpleAtod(text, &share)) shares.push_back(share);
  }
  return shares;
}

int Run() {
  std::vector<std::string> policies = absl::GetFlag(FLAGS_policies);
  if (policies == std::vector<std::string>{"all"}) policies = PolicyNames();
  std::vector<MemorySystem> systems;
  for (const std::string& name : absl::GetFlag(FLAGS_systems)) {
    systems.push_back(*PresetMemorySystem(name));
  }
  Checker checker;
  bool right = true;
  const absl::Time begin = absl::Now();
  const int64_t first = absl::GetFlag(FLAGS_first);
  const int64_t last = first + absl::GetFlag(FLAGS_count) - 1;
  Progress progress(first, last);
  for (int64_t seed = first; seed <= last; ++seed) {
    const Graph graph = GraphOf(seed);
    const MemorySystem& system = systems[(seed + seed / 20) % systems.size()];
    for (const double share : LimitShares()) {
      right &= checker.Check(seed, graph, system, LimitAt(graph, system, share),
                             policies);
    }
    progress.Report(seed, checker.Total());
  }
  std::printf("graphs %ld to %ld in %.0f s\n", static_cast<long>(first),
              static_cast<long>(last),
              absl::ToDoubleSeconds(absl::Now() - begin));
  checker.Print();
  return right ? 0 : 1;
}

}  // namespace
}  // namespace stowage::policies

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return stowage::policies::Run();
}
