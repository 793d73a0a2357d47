// Makes the plans of plan_cases.h again and compares their hashes with those
// that are kept. Prints the line of each plan that differs or is not kept, and
// their number; exits with 1 if there is one.
//
//   plan_hashes                                     # everything: two minutes
//   plan_hashes --graphs resnet-trace --policies belady,annealed-search
//   plan_hashes --print > tests/bench/plan_hashes/hashes.txt
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "tests/bench/plan_hashes/plan_cases.h"

ABSL_FLAG(std::vector<std::string>, graphs, {}, "these alone");
ABSL_FLAG(std::vector<std::string>, systems, {}, "these alone");
ABSL_FLAG(std::vector<std::string>, policies, {}, "these alone");
ABSL_FLAG(std::vector<std::string>, without, {}, "policies that are left out");
ABSL_FLAG(bool, print, false, "print everything as hashes.txt has it");
ABSL_FLAG(bool, times, false, "say on stderr what CPU time each plan took");

namespace stowage::policies {
namespace {

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsWanted(const PlanCase& one) {
  const auto among = [](const std::vector<std::string>& names,
                        const std::string& name) {
    return names.empty() || Has(names, name);
  };
  return among(absl::GetFlag(FLAGS_graphs), one.graph) &&
         among(absl::GetFlag(FLAGS_systems), one.system) &&
         among(absl::GetFlag(FLAGS_policies), one.policy) &&
         !Has(absl::GetFlag(FLAGS_without), one.policy);
}

std::string TimedHash(const Graph& graph, const PlanCase& one) {
  const std::clock_t begin = std::clock();
  std::string hash = PlanHash(graph, one);
  if (absl::GetFlag(FLAGS_times)) {
    std::fprintf(stderr, "%8.3f s  %s\n",
                 static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC,
                 Key(one).c_str());
  }
  return hash;
}

int Run() {
  const std::map<std::string, std::string> kept = KeptHashes();
  std::map<std::string, Graph> graphs;
  if (absl::GetFlag(FLAGS_print)) {
    std::printf(
        "# graph, system, percent of the peak, policy, hash (plan_cases.h)\n");
  }
  int plans = 0, others = 0;
  for (const PlanCase& one : AllPlanCases()) {
    if (!IsWanted(one)) continue;
    if (!graphs.contains(one.graph)) {
      graphs[one.graph] = LoadDataGraph(one.graph);
    }
    const std::string hash = TimedHash(graphs[one.graph], one);
    const auto known = kept.find(Key(one));
    const bool same = known != kept.end() && known->second == hash;
    ++plans;
    others += !same;
    if (!same || absl::GetFlag(FLAGS_print)) {
      std::printf("%s %s\n", Key(one).c_str(), hash.c_str());
      std::fflush(stdout);
    }
  }
  std::fprintf(stderr, "%d of %d plans differ from those that are kept\n",
               others, plans);
  return others == 0 ? 0 : 1;
}

}  // namespace
}  // namespace stowage::policies

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return stowage::policies::Run();
}
