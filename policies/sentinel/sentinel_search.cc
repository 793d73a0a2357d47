#include "policies/sentinel/sentinel_search.h"

#include <algorithm>
#include <utility>

#include "absl/time/time.h"
#include "policies/intervals/interval_demand.h"
#include "policies/sentinel/interval_length.h"
#include "timing/steady_now.h"

namespace stowage::policies {
namespace {

// The most lengths that the simulator judges, in the order of equation 2.
constexpr size_t kMaxLengths = 16;

// The most steps of test-and-trial. The paper needs fewer than ten; here each
// costs a simulated step.
constexpr int32_t kMaxTrialSteps = 128;

class SentinelSearch {
 public:
  SentinelSearch(const Graph& graph, const MemorySystem& system,
                 const Workload& workload, const Layers& layers, bool stage_all,
                 absl::Time deadline)
      : graph_(graph),
        system_(system),
        workload_(workload),
        layers_(layers),
        stage_all_(stage_all),
        deadline_(deadline) {
    decision_.kernel_ns = AllFastKernelNs(graph, system);
  }

  SentinelDecision Run(LayerIndex fixed_length) {
    IntervalLengths lengths{.best = {fixed_length}, .satisfy_space = true};
    if (fixed_length == 0) {
      lengths =
          FindIntervalLengths(graph_, system_, layers_, decision_.kernel_ns,
                              workload_.arena_bytes, workload_.cancellation);
    }
    decision_.satisfies_space = lengths.satisfy_space;
    JudgeLengths(lengths.best);
    // Considers the choice again, with the times that kernels take with their
    // operands where that choice puts them.
    Consider(decision_.choice, decision_.result.kernel_ns);
    if (!stage_all_) TestAndTry();
    return std::move(decision_);
  }

 private:
  void JudgeLengths(const std::vector<LayerIndex>& lengths) {
    const std::vector<int64_t> kernel_ns = decision_.kernel_ns;
    for (size_t i = 0; i < std::min(lengths.size(), kMaxLengths); ++i) {
      if (i > 0 && OutOfTime()) return;
      IntervalChoice choice{.length = lengths[i]};
      choice.rules.stage_all = stage_all_;
      if (!Consider(choice, kernel_ns) || stage_all_) continue;
      choice.rules.leave_late.assign(layers_.count(), true);
      Consider(choice, kernel_ns);
    }
  }

  // Tries the other way wherever Case 3 happens at the end of an interval: the
  // paper spends one step on waiting for the fetches and one on leaving the
  // tensors slow.
  void TestAndTry() {
    const int32_t intervals =
        DivideIntoIntervals(layers_, decision_.choice.length).count();
    decision_.choice.rules.leave_late.resize(intervals);
    for (int32_t i = 0; i < intervals; ++i) {
      if (!decision_.result.late.contains(i)) continue;
      if (decision_.trial_steps + 2 > kMaxTrialSteps || OutOfTime()) return;
      decision_.trial_steps += 2;
      IntervalChoice other = decision_.choice;
      other.rules.leave_late[i] = !other.rules.leave_late[i];
      Consider(other, decision_.kernel_ns);
    }
  }

  // Tries the choice and keeps it if it is better. Returns whether Case 3
  // happens.
  bool Consider(const IntervalChoice& choice,
                const std::vector<int64_t>& kernel_ns) {
    TrialResult result =
        TryIntervals(graph_, system_, workload_, layers_, choice, kernel_ns);
    const bool has_late = !result.late.empty();
    if (result.step_time_ns < decision_.result.step_time_ns) {
      decision_.choice = choice;
      decision_.kernel_ns = kernel_ns;
      decision_.result = std::move(result);
    }
    return has_late;
  }

  bool OutOfTime() {
    decision_.out_of_time |=
        SteadyNow() >= deadline_ || workload_.cancellation.IsCancelled();
    return decision_.out_of_time;
  }

  const Graph& graph_;
  const MemorySystem& system_;
  const Workload& workload_;
  const Layers& layers_;
  const bool stage_all_;
  const absl::Time deadline_;
  SentinelDecision decision_;
};

}  // namespace

SentinelDecision DecideSentinel(const Graph& graph, const MemorySystem& system,
                                const Workload& workload, const Layers& layers,
                                bool stage_all, LayerIndex length,
                                absl::Time deadline) {
  return SentinelSearch(graph, system, workload, layers, stage_all, deadline)
      .Run(length);
}

}  // namespace stowage::policies
