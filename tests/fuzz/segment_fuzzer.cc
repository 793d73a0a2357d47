// Reads the session segment as the agent does: a profile, a situation and the
// log of steps, which a job may fill with anything.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "agents/jobs/planning/delivered_plans.h"
#include "agents/jobs/planning/graph_builder.h"
#include "agents/jobs/planning/kernels_alone.h"
#include "agents/jobs/planning/profile_drift.h"
#include "agents/jobs/planning/situation.h"
#include "agents/jobs/planning/streamed_scratch.h"
#include "agents/jobs/records/captured_profile.h"
#include "agents/jobs/records/step_reader.h"
#include "policies/model/graph_proto.h"
#include "policies/model/memory_system_proto.h"
#include "policies/model/presets.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_profile.h"
#include "tests/fuzz/require.h"

namespace stowage::agent {
namespace {

const std::vector<int64_t>& Capacities() {
  static const std::vector<int64_t> bytes = {1 << 20, 1 << 22};
  return bytes;
}

void ReadSituation(FuzzInput& input, const v1::Graph& graph) {
  static const auto area = std::make_unique<session::SituationArea>();
  const DeliveredPlan plan = DeliveredPlanOf("plan", graph);
  area->kernel = input.Take<int32_t>();
  area->resident_count = input.Take<uint32_t>() % 64;
  for (int64_t& bytes : area->free_bytes) bytes = input.Take<int64_t>();
  for (uint32_t i = 0; i < area->resident_count; ++i) {
    area->residents[i] = input.Take<session::Resident>();
  }
  const auto request =
      PlaceRequestFor(CopySituation(*area), plan, Capacities());
  RequireRefusal(request.status());
  if (!request.ok()) return;
  Require(request->kernel() < graph.kernels_size(), "kernels exist");
  for (const v1::Resident& resident : request->residents()) {
    Require(resident.tensor() < graph.tensors_size(), "tensors exist");
    Require(resident.tier() < Capacities().size(), "tiers exist");
  }
}

void ReadSteps(FuzzInput& input) {
  static const auto log = std::make_unique<session::StepLog>();
  StepReader reader(log.get(), "job");
  log->written = input.Take<uint64_t>();
  const auto step = input.Take<session::StepRecord>();
  for (session::StepRecord* at : {log->entries, log->entries + 1}) *at = step;
  for (const v1::StepTelemetry& read : reader.Read()) {
    Require(
        read.index() >= 0 && read.duration_ns() >= 0 && read.fallbacks() >= 0,
        "steps have no negative numbers");
  }
}

// Returns the graph of the profile that the input begins with.
std::optional<v1::Graph> ReadProfile(FuzzInput& input) {
  static const auto area = std::make_unique<session::ProfileArea>();
  static const v1::MemorySystem system =
      policies::MemorySystemToProto(*policies::PresetMemorySystem("file"));
  FillProfile(input, area.get());
  const auto profile = CopyProfile(*area);
  area->kernel_count = area->operand_count = area->block_count = 0;
  area->name_bytes = 0;
  RequireRefusal(profile.status());
  if (!profile.ok()) return std::nullopt;
  GraphBinding binding = BuildGraph(*profile);
  Require(binding.kernel_keys.size() == binding.graph.kernels_size() &&
              binding.initial.size() == binding.graph.tensors_size(),
          "what is bound is in the graph");
  v1::Graph alone = binding.graph;
  TakeOutSlowdowns(*profile, system, &alone);
  Require(KernelsNs(alone) >= 0, "kernels take time");
  KeepMeasured(binding.graph, &alone);
  DropPauses(GapsNs(binding.graph), &alone);
  StreamScratch(binding.graph, Capacities().front(), Scratch::kAll);
  const auto graph = policies::GraphFromProto(alone);
  if (!graph.ok()) std::cerr << graph.status() << std::endl;
  Require(graph.ok(), "the service accepts the graph of a profile");
  return alone;
}

}  // namespace
}  // namespace stowage::agent

namespace stowage {
namespace {

void Fuzz(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const auto graph = agent::ReadProfile(input);
  if (graph.has_value()) agent::ReadSituation(input, *graph);
  agent::ReadSteps(input);
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz(data, size);
  return 0;
}
