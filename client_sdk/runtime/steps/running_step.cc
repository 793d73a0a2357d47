#include "client_sdk/runtime/steps/running_step.h"

#include <algorithm>

namespace stowage::runtime {

void RunningStep::Begin(int64_t now_ns) {
  On(StepEvent::kStepBegins);
  begin_ns = now_ns;
  BeginGap(now_ns, /*stalls_ns=*/0);
  times = {};
  beside = {};
  usage_before = ProcessUsage::Now();
  fallbacks = 0;
  plan = nullptr;
  plan_skip = session::kPlanNotSkipped;
  plan_median_ns = 0;
  surprise.reset();
  phases.BeginStep();
  profile.Begin();
  kernel_times.clear();
  tagger.Begin();
}

bool RunningStep::SkipsPlan(const ModeChoice& choice) {
  if (choice.next() == Driver::kPlan) return false;
  plan_skip = choice.trying() ? session::kDemandTrial : session::kDemandFaster;
  plan_median_ns = choice.MedianNs(Driver::kPlan);
  return true;
}

int64_t RunningStep::GapNs(int64_t now_ns, int64_t stalls_ns) const {
  return std::max<int64_t>(0,
                           now_ns - last_end_ns - (stalls_ns - last_stalls_ns));
}

void RunningStep::BeginGap(int64_t now_ns, int64_t stalls_ns) {
  last_end_ns = now_ns;
  last_stalls_ns = stalls_ns;
}

void RunningStep::Enter(RunningKernel* kernel, int64_t now_ns,
                        int64_t stalls_ns) {
  const int64_t gap_ns = GapNs(now_ns, stalls_ns);
  times.gaps_ns += gap_ns;
  kernel->index = profile.AddKernel(kernel->key, kernel->name, gap_ns);
  kernel->step = index;
  phases.NoteKernel();
  kernel_times.push_back({});
  kernel->ordinal = 0;
  fault_waits.Begin();
}

void RunningStep::End(const RunningKernel& kernel, const KernelEnd& end) {
  const int64_t faults_ns = fault_waits.LongestNs();
  const int64_t duration_ns = std::max<int64_t>(
      0, end.end_ns - kernel.start_ns - kernel.moved_ns - faults_ns);
  times.kernels_ns += duration_ns;
  times.faults_ns += faults_ns;
  const session::LaneTimes copied = {
      .out_ns = std::clamp<int64_t>(
          end.copied.out_ns - kernel.earlier_copied.out_ns, 0, duration_ns),
      .in_ns = std::clamp<int64_t>(
          end.copied.in_ns - kernel.earlier_copied.in_ns, 0, duration_ns)};
  beside.out_ns += copied.out_ns;
  beside.in_ns += copied.in_ns;
  session::KernelTimes& entry = kernel_times[kernel.index];
  entry.duration_ns = duration_ns;
  entry.beside = copied;
  entry.stall_ns = end.stall_ns;
  entry.faults_ns = faults_ns;
  profile.EndKernel(
      kernel.index,
      {.duration_ns = duration_ns,
       .flops = kernel.flops,
       .slow_operands = kernel.slow_operands,
       .streamed_bytes = kernel.streamed_bytes,
       .stream_ns = faults_ns,
       .window_bytes =
           kernel.StreamsOnce(end.window_read_bytes) ? end.window_bytes : 0,
       .beside = copied});
}

void RunningStep::EndKernels(int64_t now_ns, int64_t stalls_ns) {
  times.gaps_ns += GapNs(now_ns, stalls_ns);
}

}  // namespace stowage::runtime
