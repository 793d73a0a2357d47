#include "client_sdk/runtime/step_publisher.h"

#include <atomic>
#include <cstddef>
#include <vector>

#include "client_sdk/runtime/report_log.h"
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
  return {.index = step.index,
          .mode = mode,
          .fallbacks = step.fallbacks,
          .signature = step.profile.signature(),
          .kernel_count = step.profile.kernel_count(),
          .duration_ns = session::NowNs() - step.begin_ns,
          .predicted_duration_ns =
              mode == session::kStepPlan ? step.plan->predicted_step_ns : 0,
          .stall_ns = mover_->totals().stall_ns + step.plan_wait_ns,
          .fast_peak_bytes = blocks_->peaks().fast_bytes,
          .moved_in_bytes = mover_->totals().in_bytes,
          .moved_out_bytes = mover_->totals().out_bytes,
          .hints_taken = hints.taken,
          .hints_ignored = hints.ignored,
          .plan_skip = step.plan_skip,
          .plan_median_ns = step.plan_median_ns,
          .limit_bytes = step.limit_bytes};
}

void StepPublisher::WriteStep(const session::StepRecord& record,
                              const std::optional<Surprise>& surprise) {
  if (surprise.has_value()) {
    ReportEvent(report(), NameOf(surprise->reason), surprise->detail,
                surprise->kernel);
  }
  ReportStep(report(), record);
}

bool StepPublisher::FindAgent() {
  if (client_->AgentAlive()) return true;
  if (agent_lost_written_) return false;
  agent_lost_written_ = true;
  ReportEvent(report(), "agent-lost",
              "the node agent is gone; training goes on in demand mode");
  return false;
}

}  // namespace stowage::runtime
