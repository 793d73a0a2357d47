#include "client_sdk/runtime/running_step.h"

#include <algorithm>

namespace stowage::runtime {

void RunningStep::Begin(int64_t now_ns) {
  On(StepEvent::kStepBegins);
  begin_ns = last_end_ns = now_ns;
  plan_wait_ns = 0;
  fallbacks = 0;
  plan = nullptr;
  plan_skip = session::kPlanNotSkipped;
  plan_median_ns = 0;
  surprise.reset();
  profile.Begin();
  tagger.Begin();
}

bool RunningStep::SkipsPlan(const ModeChoice& choice) {
  if (choice.next() == Driver::kPlan) return false;
  plan_skip = choice.trying() ? session::kDemandTrial : session::kDemandFaster;
  plan_median_ns = choice.MedianNs(Driver::kPlan);
  return true;
}

void RunningStep::Enter(RunningKernel* kernel, int64_t now_ns) {
  const int64_t gap_ns = std::max<int64_t>(0, now_ns - last_end_ns);
  kernel->index = profile.AddKernel(kernel->key, kernel->name, gap_ns);
  kernel->step = index;
  kernel->ordinal = 0;
  fault_waits.Begin();
}

void RunningStep::End(const RunningKernel& kernel, int64_t end_ns,
                      int64_t moved_ns) {
  const int64_t duration_ns =
      end_ns - kernel.start_ns - moved_ns - fault_waits.MeanNs();
  profile.EndKernel(kernel.index, std::max<int64_t>(0, duration_ns),
                    kernel.flops, kernel.slow_operands);
}

}  // namespace stowage::runtime
