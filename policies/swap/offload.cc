#include "policies/swap/offload.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "policies/model/byte_size.h"

namespace stowage::policies {
namespace {

// Returns the boundary within a step. Nothing can start at the end of a step: a
// copy that could starts with the next.
KernelIndex InStep(const StepFacts& facts, KernelIndex boundary) {
  const KernelIndex b = boundary % (facts.kernel_count() + 1);
  return b == facts.kernel_count() ? 0 : b;
}

SwapRules ScriptOf(const StepFacts& facts,
                   const std::vector<Offload>& offloads) {
  SwapRules rules;
  rules.first_slow_tier.assign(facts.graph.tensors.size(), 1);
  for (const Offload& offload : offloads) {
    const TensorIndex t = offload.period.tensor;
    rules.first_slow_tier[t] = std::max(rules.first_slow_tier[t], offload.tier);
    const KernelIndex step = facts.kernel_count() + 1;
    rules.outs.push_back({InStep(facts, offload.leave), t,
                          offload.gone_by < 0 ? -1 : offload.gone_by % step});
    rules.ins.push_back({InStep(facts, offload.fetch), t,
                         offload.back_by < 0 ? -1 : offload.back_by % step});
  }
  const auto earlier = [](const SwapTrigger& a, const SwapTrigger& b) {
    return a.boundary < b.boundary;
  };
  std::stable_sort(rules.outs.begin(), rules.outs.end(), earlier);
  std::stable_sort(rules.ins.begin(), rules.ins.end(), earlier);
  return rules;
}

}  // namespace

std::vector<InactivePeriod> SwappablePeriods(const StepFacts& facts) {
  std::vector<InactivePeriod> periods =
      FindInactivePeriods(facts.graph, facts.workload);
  std::erase_if(periods, [](const InactivePeriod& period) {
    return !period.moves_out || !period.moves_in || period.mandatory();
  });
  std::stable_sort(periods.begin(), periods.end(),
                   [](const InactivePeriod& a, const InactivePeriod& b) {
                     return a.from < b.from;
                   });
  return periods;
}

KernelIndex TurningPoint(const StepFacts& facts) {
  std::vector<int64_t> change(2 * facts.kernel_count() + 3, 0);
  for (const InactivePeriod& period : SwappablePeriods(facts)) {
    if (facts.graph.tensors[period.tensor].persistent) continue;
    change[period.from] += facts.bytes[period.tensor];
    change[period.to] -= facts.bytes[period.tensor];
  }
  KernelIndex turn = 0;
  int64_t idle_bytes = 0, most_bytes = 0;
  for (KernelIndex b = 0; b <= facts.kernel_count(); ++b) {
    idle_bytes += change[b];
    if (idle_bytes > most_bytes) {
      most_bytes = idle_bytes;
      turn = b;
    }
  }
  return turn;
}

std::vector<InactivePeriod> FeatureMaps(const StepFacts& facts) {
  const KernelIndex turn = TurningPoint(facts);
  std::vector<InactivePeriod> periods = SwappablePeriods(facts);
  std::erase_if(periods, [&](const InactivePeriod& period) {
    return facts.graph.tensors[period.tensor].persistent ||
           period.from > turn || period.to <= turn;
  });
  return periods;
}

int64_t CopyOutNs(const StepFacts& facts, TensorIndex t, TierIndex tier) {
  return facts.system.CopyDurationNs(kFastTier, tier,
                                     facts.graph.tensors[t].size_bytes);
}

int64_t CopyInNs(const StepFacts& facts, TensorIndex t, TierIndex tier) {
  return facts.system.CopyDurationNs(tier, kFastTier,
                                     facts.graph.tensors[t].size_bytes);
}

int64_t TimeAt(const StepFacts& facts, KernelIndex boundary) {
  const KernelIndex step = facts.kernel_count() + 1;
  return boundary / step * facts.boundary_ns.back() +
         facts.boundary_ns[boundary % step];
}

KernelIndex BoundaryAt(const StepFacts& facts, int64_t ns) {
  const std::vector<int64_t>& at_ns = facts.boundary_ns;
  const KernelIndex step = facts.kernel_count() + 1;
  const bool next_step = ns >= at_ns.back();
  if (next_step) ns -= at_ns.back();
  const auto above = std::upper_bound(at_ns.begin(), at_ns.end(), ns);
  const auto boundary = static_cast<KernelIndex>(above - at_ns.begin()) - 1;
  return std::max(0, boundary) + (next_step ? step : 0);
}

void FetchJustInTime(const StepFacts& facts, std::vector<Offload>& offloads) {
  std::stable_sort(offloads.begin(), offloads.end(),
                   [](const Offload& a, const Offload& b) {
                     return a.period.to > b.period.to;
                   });
  std::map<TierIndex, int64_t> lane_ns;  // by then the next copy ends
  for (Offload& offload : offloads) {
    const int64_t need_ns = TimeAt(facts, offload.period.to);
    const auto lane = lane_ns.try_emplace(offload.tier, need_ns).first;
    const int64_t start_ns =
        std::min(lane->second, need_ns) -
        CopyInNs(facts, offload.period.tensor, offload.tier);
    lane->second = std::max(-kLatestNs, start_ns);
    const KernelIndex fetch =
        lane->second < 0 ? 0 : BoundaryAt(facts, lane->second);
    offload.fetch = std::clamp(fetch, offload.leave, offload.period.to);
  }
}

SwapRun RunOffloads(const StepFacts& facts,
                    const std::vector<Offload>& offloads, int64_t budget_bytes,
                    VictimOrder victims) {
  SwapRules rules = ScriptOf(facts, offloads);
  rules.victims = victims;
  SwapRun run = RunSwapSystem(facts, rules, budget_bytes);
  if (!run.follows_script()) {
    run.notes.push_back(absl::StrCat(
        "The system's own rules do not keep within the limit in time: ",
        DescribeBytes(run.evicted_bytes), " are evicted for lack of room and ",
        DescribeBytes(run.demand_bytes),
        " fetched when a kernel waits for them."));
  }
  return run;
}

}  // namespace stowage::policies
