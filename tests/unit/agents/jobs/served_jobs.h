// Serves jobs that a test plays, with a placement service that it plays as well.
//
//   class MyTest : public ServedJobsTest {
//     void SetUp() override { job_ = Join({.fast = "8MiB"}); }
//     std::unique_ptr<FakeJob> job_;
//   };
#ifndef STOWAGE_TESTS_UNIT_AGENTS_JOBS_SERVED_JOBS_H_
#define STOWAGE_TESTS_UNIT_AGENTS_JOBS_SERVED_JOBS_H_

#include <unistd.h>

#include <cstring>
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
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {

// Blocks until `done` returns true; the test's time limit bounds it.
template <typename Done>
void Await(Done done) {
  while (!done()) std::this_thread::yield();
}

inline std::string ReasonOf(const session::EventLog& log, uint64_t index) {
  return log.entries[index].reason;
}

inline void WriteProfile(session::ProfileArea& area, int64_t size_bytes) {
  std::memset(&area, 0, 64);
  ProfileBuilder profile(&area);
  const uint32_t block = profile.AddBlock(Passing(1, size_bytes, 0, 0, 1));
  profile.AddKernel("aten::empty", {{block, session::kOperandWrite}});
  profile.AddKernel("aten::relu", {{block}});
}

inline absl::StatusOr<v1::Plan> PlaceTensorZero(const PlanQuery& query) {
  v1::Plan plan;
  plan.set_graph_id("g");
  plan.set_policy("fake");
  plan.set_fast_limit_bytes(query.fast_limit_bytes);
  plan.add_allocations()->mutable_at()->set_offset_bytes(3 *
                                                         session::kPageBytes);
  return plan;
}

class ServedJobsTest : public testing::Test {
 protected:
  ServedJobsTest() { Start(); }

  void Start() {
    auto server = JobServer::Start(
        socket_path_, {},
        {.fast = "40%", .slow = "emulated:cxl,size=64MiB", .policy = ""},
        {.node = "node",
         .directories = {.report_dir = directory_.path(),
                         .graph_dir = directory_.path(),
                         .slow =
                             *SlowDirectories::Resolve("emulated:cxl", {"/"})},
         .catalog = &catalog_,
         .service = &service_,
         .fast_memory = &fast_memory_,
         .plan_refresh_interval = absl::Milliseconds(1),
         .plan_retry_interval = absl::Milliseconds(1)});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  std::unique_ptr<FakeJob> Join(const FakeJobOptions& options = {}) {
    return std::make_unique<FakeJob>(socket_path_, options);
  }

  std::string ReportPath() const {
    return directory_.path() + "/run-" + std::to_string(getpid()) + ".session";
  }

  TempDirectory directory_;
  const std::string socket_path_ = directory_.path() + "/agent.sock";
  TierCatalog catalog_{"node", "dram"};
  FakeService service_;
  FastMemory fast_memory_{/*total_bytes=*/0};
  std::unique_ptr<JobServer> server_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_TESTS_UNIT_AGENTS_JOBS_SERVED_JOBS_H_
