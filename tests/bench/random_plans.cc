// Plans random graphs with every policy under several limits on several
// systems, and verifies every plan. Not a test: 10,000 graphs take hours. Runs
// in slices, as long as there is time; a slice prints what it did.
//
//   random_plans --first 1 --count 1000        graphs 1 to 1000
//   random_plans --first 1001 --count 1000 --policies stow,belady
//
// Exits with 1 when a plan was rejected, when a policy failed under a limit for
// which a plan exists, or when one plan was faster than the lower bound.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/lower_bound.h"
#include "policies/planning/verifier.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
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
ABSL_FLAG(double, time_limit_s, 0, "PlanOptions::time_limit");

namespace stowage {
namespace {

// A limit under which some plan exists may still be none for a policy that
// promises one placement, or uses slow memory in place: it then says so.
bool MayRefuse(const std::string& policy, const absl::Status& status) {
  static const std::set<std::string> kNarrow = {
      "all-fast", "all-slow", "autotm-static", "first-touch", "hardware-cache"};
  return absl::IsFailedPrecondition(status) && kNarrow.count(policy) > 0;
}

struct Tally {
  int64_t planned = 0;
  int64_t refused = 0;
  int64_t wrong = 0;
};

class Checker {
 public:
  // False when something was wrong.
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
      std::printf("%-18s %8ld plans verified, %6ld refused, %ld wrong\n",
                  policy.c_str(), static_cast<long>(tally.planned),
                  static_cast<long>(tally.refused),
                  static_cast<long>(tally.wrong));
    }
  }

 private:
  bool CheckPolicy(int64_t seed, const Graph& graph, const MemorySystem& system,
                   int64_t limit_bytes, int64_t bound_ns,
                   const std::string& name) {
    Tally& tally = tallies_[name];
    const absl::StatusOr<Plan> plan =
        (*MakePolicy(name))
            ->MakePlan(graph, system,
                       {.fast_limit_bytes = limit_bytes,
                        .time_limit =
                            absl::Seconds(absl::GetFlag(FLAGS_time_limit_s))});
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
  for (int64_t seed = first; seed <= last; ++seed) {
    const Graph graph = RandomGraph(static_cast<uint64_t>(seed));
    for (const MemorySystem& system : systems) {
      for (const std::string& text : absl::GetFlag(FLAGS_limits)) {
        double share = 0;
        if (!absl::SimpleAtod(text, &share)) continue;
        right &= checker.Check(seed, graph, system,
                               LimitAt(graph, system, share), policies);
      }
    }
  }
  std::printf("graphs %ld to %ld in %.0f s\n", static_cast<long>(first),
              static_cast<long>(last),
              absl::ToDoubleSeconds(absl::Now() - begin));
  checker.Print();
  return right ? 0 : 1;
}

}  // namespace
}  // namespace stowage

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return stowage::Run();
}
