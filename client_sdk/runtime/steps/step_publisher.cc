#include "client_sdk/runtime/steps/step_publisher.h"

#include <string.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string_view>
#include <vector>

#include "client_sdk/runtime/connection/report_log.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/futex.h"

namespace stowage::runtime {
namespace {

// A step that left its plan counts as the plan's, unless the agent has its
// profile.
session::StepMode ReportedMode(const RunningStep& step) {
  if (step.mode == StepMode::kProfile) return session::kStepProfile;
  return step.plan != nullptr ? session::kStepPlan : session::kStepDemand;
}

}  // namespace

bool StepPublisher::TakesProfile(const StepProfile& profile) const {
  const session::Segment* segment = client_->segment();
  return segment->profiles_written.load() == segment->profiles_taken.load() &&
         profile.Fits() && client_->AgentAlive();
}

void StepPublisher::WriteProfile(const RunningStep& step,
                                 int64_t overhead_bytes) {
  session::Segment* segment = client_->segment();
  session::ProfileArea& area = segment->profile;
  step.profile.Write(&area);
  area.step_index = step.index;
  area.duration_ns = session::NowNs() - step.begin_ns;
  area.tensor_peak_bytes = blocks_->peaks().tensor_bytes;
  area.unmanaged_peak_bytes = overhead_bytes;
  segment->profiles_written.fetch_add(1);
}

bool StepPublisher::TakesSituation() const {
  const session::Segment* segment = client_->segment();
  return segment->situations_answered.load() ==
         segment->situations_stated.load(std::memory_order_relaxed);
}

void StepPublisher::WriteSituation(uint64_t plan_number, int32_t kernel,
                                   const PlanTensors& tensors) {
  session::Segment* segment = client_->segment();
  session::SituationArea& area = segment->situation;
  area.plan = plan_number;
  area.kernel = kernel;
  for (int tier = 0; tier < blocks_->tier_count(); ++tier) {
    const Arena& arena = blocks_->arena(tier);
    area.free_bytes[tier] = arena.capacity_bytes() - arena.used_bytes();
  }
  area.resident_count = 0;
  const std::vector<Block*>& all = tensors.all();
  for (size_t t = 0; t < all.size() && t < session::kMaxBlocks; ++t) {
    const Block* block = all[t];
    if (block == nullptr) continue;
    const Place& place = block->moving() ? block->move->to : block->place;
    area.residents[area.resident_count++] = {static_cast<int32_t>(t),
                                             place.tier};
  }
  segment->situations_stated.fetch_add(1);
  session::FutexRing(segment->situation_bell);
}

session::StepRecord StepPublisher::Record(const RunningStep& step,
                                          const HintTotals& hints) const {
  const session::StepMode mode = ReportedMode(step);
  const PlanTable* plan = mode == session::kStepPlan ? step.plan : nullptr;
  const Mover::Totals& totals = mover_->totals();
  session::StepTimes times = step.times;
  times.stall_in_ns = totals.stall_in_ns;
  times.stall_out_ns = totals.stall_out_ns;
  const ProcessUsage usage = ProcessUsage::Now();
  session::StepRecord record = {
      .index = step.index,
      .mode = mode,
      .fallbacks = step.fallbacks,
      .signature = step.profile.signature(),
      .kernel_count = step.profile.kernel_count(),
      .duration_ns = session::NowNs() - step.begin_ns,
      .predicted =
          plan != nullptr ? plan->predicted : session::PredictedTimes{},
      .stall_ns = totals.stall_ns() + times.plan_wait_ns,
      .fast_peak_bytes = blocks_->peaks().fast_bytes,
      .moved_in_bytes = totals.in_bytes,
      .moved_out_bytes = totals.out_bytes,
      .hints_taken = hints.taken,
      .hints_ignored = hints.ignored,
      .plan_skip = step.plan_skip,
      .plan_median_ns = step.plan_median_ns,
      .limit_bytes = step.limit_bytes,
      .times = times,
      .beside = step.beside,
      .processor_ns = usage.processor_ns - step.usage_before.processor_ns,
      .page_faults = usage.page_faults - step.usage_before.page_faults,
      .system_ns = usage.system_ns - step.usage_before.system_ns,
      .mapping_ns = usage.mapping_ns - step.usage_before.mapping_ns,
      .agent_processor_ns = AgentProcessorNs() - agent_before_ns_};
  const std::string_view phase = step.phases.Longest();
  phase.copy(record.phase, sizeof(record.phase) - 1);
  return record;
}

void StepPublisher::WriteStep(const session::StepRecord& record,
                              const std::optional<Surprise>& surprise) {
  if (surprise.has_value()) {
    ReportEvent(report(), NameOf(surprise->reason), surprise->detail,
                surprise->kernel);
  }
  TellUnseenWrites();
  ReportStep(report(), record);
}

void StepPublisher::TellUnseenWrites() {
  const PlacedBlocks::UnseenWrites& unseen = blocks_->unseen_writes();
  if (unseen_writes_told_ || unseen.count == 0) return;
  unseen_writes_told_ = true;
  std::string made_by(unseen.made_by);
  if (made_by.empty()) made_by = "no operator";
  ReportEvent(report(), "written-unseen",
              "a tensor of " + std::to_string(unseen.size_bytes) +
                  " bytes, made by " + made_by +
                  ", changed although no operator wrote it; it was copied "
                  "again; call stowage.pin() on what such code writes");
}

void StepPublisher::WriteKernels(const RunningStep& step) {
  const std::vector<session::PlanKernel>& planned = step.plan->kernels;
  const size_t count = std::min(planned.size(), step.kernel_times.size());
  session::KernelLog& log = report()->kernels;
  log.written.store(0, std::memory_order_release);
  for (size_t k = 0; k < count; ++k) {
    log.entries[k] = step.kernel_times[k];
    log.entries[k].planned_ns = planned[k].duration_ns;
    const std::string_view name = step.profile.name(k);
    memcpy(log.entries[k].name, name.data(),
           std::min(name.size(), sizeof(log.entries[k].name) - 1));
  }
  log.written.store(count, std::memory_order_release);
}

bool StepPublisher::FindAgent() {
  if (client_->AgentAlive()) return true;
  if (agent_lost_written_) return false;
  agent_lost_written_ = true;
  ReportEvent(report(), "agent-lost",
              "the node agent is gone; training goes on in demand mode");
  return false;
}

void StepPublisher::NoteReturn(bool is_back, const std::string& error) {
  if (is_back) {
    agent_lost_written_ = false;
    return_error_.clear();
    return ReportEvent(report(), "agent-found",
                       "another node agent has taken over");
  }
  if (error.empty() || error == return_error_) return;
  return_error_ = error;
  ReportEvent(report(), "agent-not-found", error);
}

}  // namespace stowage::runtime
