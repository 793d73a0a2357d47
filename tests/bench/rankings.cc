// Measures how long RankNodes takes over a fleet, once the job's estimate is
// kept: gathering what is known of nodes, jobs and reservations, and ranking.
//
//   build/tests/rankings --nodes 10000 --rounds 50
#include <algorithm>
#include <iostream>
#include <memory>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "policies/registry.h"
#include "server/fleet/job_registry.h"
#include "server/fleet/node_registry.h"
#include "server/graphs/graph_store.h"
#include "server/placement/planning_queue.h"
#include "server/scheduling/job_estimator.h"
#include "server/scheduling/job_ranking.h"
#include "server/scheduling/reservation_book.h"
#include "server/storage/open_database.h"
#include "tests/unit/server/testing.h"
#include "timing/steady_now.h"

ABSL_FLAG(int, nodes, 10000, "Nodes that are alive; every fourth has a job");
ABSL_FLAG(int, rounds, 50, "Rankings that are timed");

namespace stowage {
namespace {

// Registers nodes of one kind whose slow tiers differ, and jobs on some.
void Populate(int count, NodeRegistry* nodes, JobRegistry* jobs) {
  for (int i = 0; i < count; ++i) {
    v1::MemorySystem system = TwoTiers();
    system.mutable_tiers(1)->mutable_read(0)->set_bytes_per_second(100'000'000 +
                                                                   i * 10'000);
    const std::string node = absl::StrCat("node-", i);
    nodes->Register(node, system, absl::Now(), int64_t{64} << 30).IgnoreError();
    if (i % 4 != 0) continue;
    v1::Job job;
    job.set_job_id(absl::StrCat("job-", i));
    job.set_node(node);
    job.set_fast_limit_bytes(int64_t{1} << 30);
    jobs->Start(job, absl::Now()).IgnoreError();
  }
}

int Run() {
  const auto database = *OpenDatabase(":memory:");
  GraphStore graphs(database);
  v1::GraphSummary summary;
  summary.set_graph_id(std::string(64, 'a'));
  graphs.PutGraph(summary, ChainGraph(40), "").IgnoreError();
  NodeRegistry nodes(absl::Hours(1));
  JobRegistry jobs(&nodes);
  Populate(absl::GetFlag(FLAGS_nodes), &nodes, &jobs);
  ReservationStore store(database);
  ReservationBook book(&store, &nodes, &jobs, {});
  PlanningQueue queue({});
  JobEstimator estimator(&graphs, &queue, policies::MakePolicy);
  JobRanking ranking(&estimator, &nodes, &book);
  const RankRequest request = {.graph_id = summary.graph_id()};
  std::vector<absl::Duration> times;
  for (int i = 0; i <= absl::GetFlag(FLAGS_rounds); ++i) {
    const absl::Time begin = SteadyNow();
    const absl::StatusOr<NodeRanking> ranked = ranking.Rank(request, {});
    if (!ranked.ok()) {
      std::cerr << ranked.status() << "\n";
      return 1;
    }
    if (i > 0) times.push_back(SteadyNow() - begin);
  }
  std::sort(times.begin(), times.end());
  std::cout << "median " << times[times.size() / 2] << ", best "
            << times.front() << ", worst " << times.back() << "\n";
  return 0;
}

}  // namespace
}  // namespace stowage

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return stowage::Run();
}
