// Reads the service's answers as the agent does: plans, hints, orders and
// errors. A service may be of another release, or not be one.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agents/jobs/planning/delivered_plans.h"
#include "agents/jobs/planning/forecast.h"
#include "agents/jobs/planning/graph_builder.h"
#include "agents/jobs/planning/limit_too_small.h"
#include "agents/jobs/planning/plan_table.h"
#include "agents/jobs/planning/situation.h"
#include "agents/jobs/records/captured_profile.h"
#include "agents/jobs/records/limit_orders.h"
#include "agents/jobs/service_orders.h"
#include "agents/telemetry/resize_queue.h"
#include "client_sdk/cpp/status.h"
#include "google/protobuf/stubs/logging.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/require.h"
#include "tests/unit/agents/fake_service.h"
#include "tests/unit/agents/jobs/profile_builder.h"

namespace stowage::agent {
namespace {

constexpr int64_t kPage = session::kPageBytes;
constexpr int32_t kTiers = 2;
constexpr int64_t kCapacityBytes = 64 * kPage;

// The graph of a job's step, with a tensor of each sort.
const GraphBinding& Binding() {
  static const GraphBinding binding = [] {
    ProfileBuilder profile;
    const uint32_t weight =
        profile.AddBlock(Lasting(77, 5000, session::kBlockParameter));
    const uint32_t kept = profile.AddBlock(Passing(78, 4096, 1, 2, -1));
    const uint32_t passing = profile.AddBlock(Passing(79, 4096, 0, 0, 2));
    const uint32_t scratch =
        profile.AddBlock(Passing(80, 9000, 1, 0, 1, session::kBlockRaw));
    profile.AddBlock(Older(81, 4096, 1, 2, 1));
    profile.AddKernel("a", {{weight}, {passing, session::kOperandWrite}});
    profile.AddKernel("b", {{kept, session::kOperandWrite}, {scratch}});
    profile.AddKernel("c", {{passing}});
    return BuildGraph(*profile.Copy());
  }();
  return binding;
}

void CheckMoves(const session::PlanArea& area) {
  Require(area.move_count <= session::kMaxMoves, "moves fit into the table");
  for (uint32_t m = 0; m < area.move_count; ++m) {
    const session::PlanMove& move = area.moves[m];
    for (const auto& [tier, offset_bytes] :
         {std::pair(move.from_tier, move.from_offset_bytes),
          std::pair(move.to_tier, move.to_offset_bytes)}) {
      Require(tier >= 0 && tier < kTiers, "moves are between tiers");
      Require(
          offset_bytes >= 0 && offset_bytes <= kCapacityBytes - move.size_bytes,
          "moves are within arenas");
    }
  }
}

void TakePlan(std::string_view bytes) {
  static const auto area = std::make_unique<session::PlanArea>();
  static const auto report = std::make_unique<session::Report>();
  v1::MakePlanResponse made;
  if (!made.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return;
  }
  const absl::Status filled = FillPlanArea(
      made.plan(), Binding(), {kCapacityBytes, kCapacityBytes}, area.get());
  RequireRefusal(filled);
  if (!filled.ok()) return;
  CheckMoves(*area);
  report->forecast.kind = 0;
  report->limit_bytes = kCapacityBytes;
  ForecastWriter(report.get()).NotePlan(made.plan(), Binding().graph);
}

void TakeHints(std::string_view bytes) {
  static const auto area = std::make_unique<session::HintArea>();
  v1::PlaceResponse response;
  if (!response.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return;
  }
  const DeliveredPlan plan = DeliveredPlanOf("plan", Binding().graph);
  const absl::Status filled = FillHints(response, plan, kTiers, area.get());
  RequireRefusal(filled);
  Require(filled.ok() || area->hint_count == 0, "there is no half advice");
  for (uint32_t h = 0; h < area->hint_count; ++h) {
    const session::Hint& hint = area->hints[h];
    Require(hint.kernel >= 0 && hint.kernel < plan.kernel_count &&
                hint.tensor >= 0 && hint.tensor < plan.tensors.size() &&
                hint.tier >= 0 && hint.tier < kTiers,
            "hints name what there is");
  }
}

void TakeOrders(std::string_view bytes) {
  v1::HeartbeatResponse response;
  if (!response.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return;
  }
  ResizeQueue queue;
  queue.TakeOrders(response);
  for (const v1::ResizeOrder& order : response.orders()) {
    session::LimitArea area{};
    LimitOrders limits(&area, {});
    FakeService service;
    service.Order(order);
    ServiceOrders orders(order.job_id());
    orders.Follow(limits, service);
    limits.Poll();
    Require(area.order.limit_bytes >= 0 && area.order.limit_fraction >= 0 &&
                area.order.limit_fraction <= 1,
            "jobs are told a limit that makes sense");
    limits.End();
    orders.Follow(limits, service);
  }
}

void TakeError(FuzzInput& input) {
  const int code = 1 + input.Take<uint8_t>() % 16;
  const auto report = std::make_unique<session::Report>();
  report->limit_bytes = 1 + input.Take<uint32_t>();
  const absl::Status status = FromGrpcStatus(
      grpc::Status(static_cast<grpc::StatusCode>(code),
                   std::string(input.TakeBytes(input.Take<uint8_t>())),
                   std::string(input.Rest())));
  LimitTooSmallOf(status);
  ForecastWriter(report.get())
      .NoteNoPlan(status, Binding().graph, /*step_ns=*/1'000'000);
}

}  // namespace
}  // namespace stowage::agent

namespace stowage {
namespace {

// The first byte is a digit: which answer the rest is.
void Fuzz(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer quiet;
  FuzzInput input(data, size);
  switch (static_cast<uint8_t>(input.Take<uint8_t>() - '0') % 4) {
    case 0:
      agent::TakePlan(input.Rest());
      break;
    case 1:
      agent::TakeHints(input.Rest());
      break;
    case 2:
      agent::TakeOrders(input.Rest());
      break;
    default:
      agent::TakeError(input);
  }
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz(data, size);
  return 0;
}
