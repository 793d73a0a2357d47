// Connects an agent to a service that answers with anything.
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agents/telemetry/remote_service.h"
#include "google/protobuf/stubs/logging.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/scripted_service.h"
#include "tests/fuzz/service_script.h"
#include "tests/unit/server/testing.h"

namespace stowage::agent {
namespace {

constexpr size_t kMostAnswers = 12;
// A call may take so long before the agent gives up.
constexpr absl::Duration kDeadline = absl::Milliseconds(500);
// The agent's thread looks for something to send so often, and the fuzzer lets
// it do so a few times.
constexpr absl::Duration kPoll = absl::Milliseconds(1);
constexpr std::chrono::milliseconds kWhile(8);

void Use(RemoteService& service) {
  v1::Job job;
  job.set_job_id("job");
  service.StartJob(job);
  v1::StepTelemetry step;
  step.set_job_id("job");
  service.ReportSteps({step});
  const auto made = service.MakePlan({.graph = ChainGraph(3),
                                      .system = TwoTiers(),
                                      .fast_limit_bytes = kLimitBytes,
                                      .policy = "deeptm"});
  Require(made.ok() || !made.status().message().empty(),
          "an error says what is wrong");
  service.CapabilitiesOf("deeptm");
  const auto placement = service.OpenPlacement();
  if (placement.ok()) {
    for (int kernel = 0; kernel < 2; ++kernel) {
      v1::PlaceRequest request;
      request.set_kernel(kernel);
      if (!(*placement)->Ask(request).ok()) break;
    }
  }
  std::this_thread::sleep_for(kWhile);
  if (const auto order = service.OrderOf("job")) {
    v1::ResizeOutcome outcome;
    outcome.set_job_id("job");
    outcome.set_number(order->number());
    outcome.set_state(v1::RESIZE_STATE_OBEYED);
    service.ReportOutcome(outcome);
  }
  service.FinishJob("job");
}

}  // namespace
}  // namespace stowage::agent

namespace stowage {
namespace {

void Fuzz(const uint8_t* data, size_t size) {
  static int number = 0;
  const google::protobuf::LogSilencer quiet;
  std::vector<ScriptedCall> script =
      ReadScript(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (script.empty() || script.size() > agent::kMostAnswers) return;
  const std::string address =
      absl::StrCat("unix-abstract:stowage-link-", getpid(), "-", ++number);
  const ScriptedService scripted(script, address);
  agent::RemoteService service({.address = address,
                                .node = "node",
                                .system = TwoTiers(),
                                .call_deadline = agent::kDeadline,
                                .plan_deadline = agent::kDeadline,
                                .retry_interval = agent::kPoll,
                                .poll_interval = agent::kPoll});
  agent::Use(service);
  service.Close();
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz(data, size);
  return 0;
}
