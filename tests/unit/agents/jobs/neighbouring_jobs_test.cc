// Jobs that share an agent's fast memory: what JobServer does with them.
#include <memory>
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
  Neighbour(const std::string& socket_path, const std::string& kernel,
            const std::string& policy)
      : job_(socket_path, {.fast = "60MiB",
                           .slow = "emulated:cxl,size=1GiB",
                           .policy = policy}),
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

class NeighbouringJobsTest : public testing::Test {
 protected:
  void SetUp() override {
    service_.SetAnswer(PlanOf);
    auto server = JobServer::Start(
        socket_path_, {}, {.fast = "40%", .slow = "emulated:cxl,size=1GiB"},
        {.node = "node",
         .directories = {.slow = *SlowDirectories::Resolve("emulated:cxl", {})},
         .catalog = &catalog_,
         .service = &service_,
         .fast_memory = &fast_memory_});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  // The first has most of the memory, and the second gains by it.
  void RunUntilTheSecondHasWhatItWants(const std::string& policy) {
    Neighbour flat(socket_path_, "aten::flat", policy);
    Neighbour gains(socket_path_, "aten::gains", policy);
    while (gains.most_bytes() < 60 * kMiB) {
      flat.Obey();
      gains.Obey();
      std::this_thread::yield();
    }
    EXPECT_EQ(flat.most_bytes(), 40 * kMiB);
  }

  const TempDirectory directory_;
  const std::string socket_path_ = directory_.path() + "/agent.sock";
  TierCatalog catalog_{"node", "dram"};
  FakeService service_;
  FastMemory fast_memory_{100 * kMiB};
  std::unique_ptr<JobServer> server_;
};

TEST_F(NeighbouringJobsTest, MemoryGoesToTheJobWhoseStepsGainByIt) {
  RunUntilTheSecondHasWhatItWants(/*policy=*/"fake");
  for (const PlanQuery& query : service_.queries()) {
    EXPECT_EQ(query.policy, "fake");
  }
}

TEST_F(NeighbouringJobsTest, NoPolicyIsTrainedToCompareLimits) {
  v1::PolicyCapabilities capabilities;
  capabilities.set_needs_training(true);
  service_.SetCapabilities(capabilities);
  RunUntilTheSecondHasWhatItWants(/*policy=*/"deeptm");
  for (const PlanQuery& query : service_.queries()) {
    const bool compares = query.think_time > absl::ZeroDuration();
    EXPECT_EQ(query.policy, compares ? "" : "deeptm");
  }
}

}  // namespace
}  // namespace stowage::agent
