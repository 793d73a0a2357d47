// Asks for plans that take long: how many are made at a time, what becomes of
// plans that nobody waits for any more, and how the server ends meanwhile.
#include <signal.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/server/process_usage.h"
#include "tests/e2e/server/stowaged_process.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

// The graph is so large that the slow policy takes minutes.
constexpr int kKernels = 100'000;
constexpr char kSlowPolicy[] = "lru";

// Returns a forward pass whose activations a backward pass reads again: half of
// all tensors are alive at once.
v1::Graph DeepGraph() {
  constexpr int kLayers = kKernels / 2;
  v1::Graph graph;
  graph.set_schema_version(1);
  graph.set_name("deep");
  const auto add_kernel = [&](int reads, int writes) {
    v1::Kernel* kernel = graph.add_kernels();
    kernel->set_name("op");
    for (const int tensor : {reads, writes}) {
      v1::Operand* operand = kernel->add_operands();
      operand->set_tensor(tensor);
      operand->set_read(tensor == reads);
      operand->set_write(tensor == writes);
    }
    v1::ProfiledDuration* fast =
        kernel->mutable_profile()->mutable_fast_inputs_fast_outputs();
    fast->set_duration_ns(1'000'000);
    fast->set_source(v1::DURATION_SOURCE_MEASURED);
  };
  for (int t = 0; t <= kKernels; ++t) {
    v1::Tensor* tensor = graph.add_tensors();
    tensor->set_size_bytes(1 << 20);
    tensor->set_kind(v1::TENSOR_KIND_ACTIVATION);
  }
  for (int k = 0; k < kLayers; ++k) add_kernel(k, k + 1);
  for (int k = kLayers; k < kKernels; ++k) add_kernel(kKernels - k, k + 1);
  return graph;
}

class StowagedPlanningTest : public ::testing::Test {
 protected:
  void Start(const std::vector<std::string>& flags) {
    server_ = std::make_unique<StowagedProcess>(flags);
    ASSERT_TRUE(server_->WaitReady()) << server_->output();
    v1::RegisterGraphRequest registration;
    *registration.mutable_graph() = DeepGraph();
    const auto registered = server_->Connect()->RegisterGraph(registration);
    ASSERT_TRUE(registered.ok()) << registered.status();
    graph_id_ = registered->graph_id();
  }

  // Asks for a plan that differs for each seed.
  absl::Status MakePlan(int64_t seed, absl::Duration deadline) {
    v1::MakePlanRequest request;
    request.set_graph_id(graph_id_);
    request.set_system_name("file");
    request.set_fast_limit_bytes(int64_t{kKernels} / 8 << 20);
    request.set_policy(kSlowPolicy);
    request.set_seed(seed);
    return server_->Connect({.plan_deadline = deadline, .max_attempts = 1})
        ->MakePlan(request)
        .status();
  }

  std::unique_ptr<StowagedProcess> server_;
  std::string graph_id_;
};

TEST_F(StowagedPlanningTest, AStormOfPlansIsBoundedAndDelaysNobody) {
  Start({"--planning-threads=2", "--planning-waiting=4"});
  const int64_t before_bytes = ResidentBytes(server_->pid());
  std::vector<absl::Status> statuses(16);
  std::vector<std::thread> callers;
  for (size_t i = 0; i < statuses.size(); ++i) {
    callers.emplace_back([&, i] {
      statuses[i] = MakePlan(static_cast<int64_t>(i), absl::Seconds(4));
    });
  }
  const std::unique_ptr<Client> client = server_->Connect();
  const absl::Time end = absl::Now() + absl::Seconds(3);
  absl::Duration slowest;
  int64_t most_bytes = 0;
  while (absl::Now() < end) {
    const absl::Time start = absl::Now();
    ASSERT_TRUE(client->ListGraphs().ok());
    slowest = std::max(slowest, absl::Now() - start);
    most_bytes = std::max(most_bytes, ResidentBytes(server_->pid()));
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_LT(slowest, absl::Seconds(1));
  // Two plans and one graph.
  EXPECT_LT(most_bytes - before_bytes, int64_t{600} << 20);
  EXPECT_EQ(std::count_if(statuses.begin(), statuses.end(),
                          absl::IsResourceExhausted),
            10);
  for (const absl::Status& status : statuses) {
    if (absl::IsDeadlineExceeded(status)) continue;
    EXPECT_THAT(status.message(), HasSubstr("ask again in"));
  }
  EXPECT_TRUE(IdlesWithin(server_->pid(), absl::Seconds(3)));
}

TEST_F(StowagedPlanningTest, APlanStopsWhenItsCallerHasGone) {
  Start({});
  EXPECT_TRUE(absl::IsDeadlineExceeded(MakePlan(1, absl::Seconds(1))));
  EXPECT_TRUE(IdlesWithin(server_->pid(), absl::Seconds(3)));
}

TEST_F(StowagedPlanningTest, TheServerEndsInTimeThoughPlansAreMade) {
  Start({"--drain-timeout=1s", "--planning-threads=2"});
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back(
        [&, i] { EXPECT_FALSE(MakePlan(i, absl::Minutes(5)).ok()); });
  }
  const absl::Duration before = CpuTime(server_->pid());
  while (CpuTime(server_->pid()) - before < absl::Seconds(1)) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  const absl::Time start = absl::Now();
  server_->Signal(SIGTERM);
  EXPECT_EQ(server_->Wait(), 0) << server_->output();
  // That is the drain, a second, and slack for a busy machine.
  EXPECT_LT(absl::Now() - start, absl::Seconds(4));
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace stowage
