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

void RunningStep::Enter(RunningKernel* kernel, int64_t now_ns) {
  const int64_t gap_ns = std::max<int64_t>(0, now_ns - last_end_ns);
  kernel->index = profile.AddKernel(kernel->key, kernel->name, gap_ns);
  kernel->step = index;
  kernel->ordinal = 0;
}

void RunningStep::End(const RunningKernel& kernel, int64_t end_ns,
                      int64_t waited_ns) {
  const int64_t duration_ns = end_ns - kernel.start_ns - waited_ns;
  profile.EndKernel(kernel.index, std::max<int64_t>(0, duration_ns),
                    kernel.flops, kernel.slow_operands);
}

}  // namespace stowage::runtime
