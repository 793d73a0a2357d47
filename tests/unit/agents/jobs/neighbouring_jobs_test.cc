// Jobs that share an agent's fast memory: what JobServer does with them.
#include <string>
#include <thread>

#include "agents/engine/tier_catalog.h"
#include "agents/jobs/job_server.h"
#include "agents/sharing/fast_memory.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/fake_job.h"
#include "tests/unit/agents/fake_service.h"
#include "tests/unit/agents/jobs/profile_builder.h"
#include "tests/unit/agents/sizes.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

// Plans of steps that gain nothing by memory, or halve their time by it.
absl::StatusOr<v1::Plan> PlanOf(const PlanQuery& query) {
  v1::Plan plan;
  plan.set_policy("fake");
  plan.set_fast_limit_bytes(query.fast_limit_bytes);
  plan.add_allocations()->mutable_at();
  const bool gains = query.graph.kernels(0).name() == "aten::gains";
  plan.mutable_prediction()->set_step_time_ns(
      gains ? 2'000'000'000 - 10 * query.fast_limit_bytes : 1'000'000'000);
  return plan;
}

// A job that has ended two steps, and obeys what it is told.
class Neighbour {
 public:
  Neighbour(const std::string& socket_path, const std::string& kernel)
      : job_(socket_path, {.fast = "60MiB", .slow = "emulated:cxl,size=1GiB"}),
        limits_(&job_.segment()->limits) {
    job_.segment()->report.tensor_peak_bytes = 100 * kMiB;
    job_.segment()->report.steps.written = 2;
    ProfileBuilder profile(&job_.segment()->profile);
    const uint32_t weight = profile.AddBlock(Lasting(1, kMiB));
    profile.AddKernel(kernel, {{weight}});
    job_.PublishProfile();
    job_.segment()->plans_taken.store(job_.segment()->plans_written.load());
  }
  void Obey() {
    const uint64_t ordered = limits_->ordered;
    if (ordered == limits_->taken) return;
    most_bytes_ = limits_->order.most_bytes;
    limits_->refused_below_bytes = session::kLimitObeyed;
    limits_->taken = ordered;
  }
  int64_t most_bytes() const { return most_bytes_; }

 private:
  FakeJob job_;
  session::LimitArea* const limits_;
  int64_t most_bytes_ = 0;
};

TEST(NeighbouringJobsTest, MemoryGoesToTheJobWhoseStepsGainByIt) {
  const TempDirectory directory;
  const std::string socket_path = directory.path() + "/agent.sock";
  TierCatalog catalog("node", "dram");
  FakeService service;
  service.SetAnswer(PlanOf);
  FastMemory fast_memory(100 * kMiB);
  auto server = JobServer::Start(
      socket_path, {}, {.fast = "40%", .slow = "emulated:cxl,size=1GiB"},
      {.node = "node",
       .catalog = &catalog,
       .service = &service,
       .slow_directories = *SlowDirectories::Resolve("emulated:cxl", {}),
       .fast_memory = &fast_memory});
  ASSERT_TRUE(server.ok()) << server.status();
  // The first has it, and the second would gain by it.
  Neighbour flat(socket_path, "aten::flat");
  Neighbour gains(socket_path, "aten::gains");
  while (gains.most_bytes() < 60 * kMiB) {
    flat.Obey();
    gains.Obey();
    std::this_thread::yield();
  }
  EXPECT_EQ(flat.most_bytes(), 40 * kMiB);
}

}  // namespace
}  // namespace stowage::agent
