#include "policies/baselines/capuchin.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "policies/model/byte_size.h"
#include "policies/model/liveness.h"
#include "policies/swap/offload.h"
#include "policies/swap/pressure.h"

namespace stowage::policies {
namespace {

// Returns the free time (Capuchin, section 4.3): from the end of the swap out
// right after one access to the start of the swap in right before the next. If
// negative, it is the part of the copies that is exposed.
int64_t FreeTimeNs(const StepFacts& facts, const InactivePeriod& period) {
  return TimeAt(facts, period.to) - TimeAt(facts, period.from) -
         CopyOutNs(facts, period.tensor, 1) - CopyInNs(facts, period.tensor, 1);
}

// Selects periods by free time, the longest first, until the rest fits.
std::vector<InactivePeriod> SelectByFreeTime(const StepFacts& facts,
                                             int64_t budget_bytes) {
  std::vector<InactivePeriod> periods = SwappablePeriods(facts);
  std::erase_if(periods, [&](const InactivePeriod& period) {
    return facts.graph.tensors[period.tensor].persistent;
  });
  std::stable_sort(periods.begin(), periods.end(),
                   [&](const InactivePeriod& a, const InactivePeriod& b) {
                     return FreeTimeNs(facts, a) > FreeTimeNs(facts, b);
                   });
  Pressure pressure(facts, budget_bytes);
  std::erase_if(periods, [&](const InactivePeriod& period) {
    if (facts.IsCancelled()) return true;
    if (!pressure.IsOver(period.from, period.to)) return true;
    pressure.Relieve(period.from, period.to, facts.bytes[period.tensor]);
    return false;
  });
  return periods;
}

// Says how long it takes to compute tensors again.
class Recomputation {
 public:
  explicit Recomputation(const StepFacts& facts)
      : facts_(facts), producer_(facts.graph.tensors.size(), -1) {
    for (KernelIndex k = facts.kernel_count() - 1; k >= 0; --k) {
      for (const Operand& operand : facts.graph.kernels[k].operands) {
        if (operand.write) producer_[operand.tensor] = k;
      }
    }
  }

  // Returns the time of the kernels that make the tensor again at kernel `at`:
  // its producer and, where inputs have died by then, theirs. Returns -1 if it
  // cannot be made from living tensors or takes more than kMaxKernels.
  int64_t TimeNs(TensorIndex tensor, KernelIndex at) const {
    std::vector<TensorIndex> wanted = {tensor};
    std::set<KernelIndex> kernels;
    int64_t ns = 0;
    while (!wanted.empty()) {
      const TensorIndex t = wanted.back();
      wanted.pop_back();
      const KernelIndex k = producer_[t];
      const bool persistent = facts_.graph.tensors[t].persistent;
      if (k < 0 || k >= at || persistent) return -1;
      if (!kernels.insert(k).second) continue;
      if (kernels.size() > kMaxKernels) return -1;
      ns += facts_.boundary_ns[k + 1] - facts_.boundary_ns[k];
      for (const Operand& operand : facts_.graph.kernels[k].operands) {
        const bool alive = AliveAt(facts_.graph.tensors[operand.tensor], at);
        if (operand.read && !alive) wanted.push_back(operand.tensor);
      }
    }
    return ns;
  }

 private:
  // The most kernels that are computed again for one tensor.
  static constexpr size_t kMaxKernels = 8;

  const StepFacts& facts_;
  std::vector<KernelIndex> producer_;  // by tensor
};

// Returns when each period's copy out ends, one after the other in the lane.
std::vector<int64_t> OutEndsNs(const StepFacts& facts,
                               const std::vector<InactivePeriod>& periods) {
  std::vector<size_t> order(periods.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return periods[a].from < periods[b].from;
  });
  std::vector<int64_t> ends_ns(periods.size());
  int64_t lane_ns = 0;
  for (size_t g : order) {
    const int64_t end_ns = std::max(lane_ns, TimeAt(facts, periods[g].from)) +
                           CopyOutNs(facts, periods[g].tensor, 1);
    lane_ns = std::min(kLatestNs, end_ns);
    ends_ns[g] = lane_ns;
  }
  return ends_ns;
}

struct RecomputeShare {
  int64_t tensors = 0;
  int64_t bytes = 0;
  int64_t recompute_ns = 0;
};

// Returns the periods that Capuchin would fill by computing the tensor again:
// those whose copies, given what else is in the lanes, are exposed for longer
// than that takes (section 4.4). It goes from the last need to the first, as
// copies in are fitted into their lane; a tensor that is computed again leaves
// the lane to others.
RecomputeShare FindRecomputeShare(const StepFacts& facts,
                                  std::vector<InactivePeriod> periods) {
  std::stable_sort(periods.begin(), periods.end(),
                   [](const InactivePeriod& a, const InactivePeriod& b) {
                     return a.to > b.to;
                   });
  const Recomputation recomputation(facts);
  const std::vector<int64_t> out_ends_ns = OutEndsNs(facts, periods);
  RecomputeShare share;
  int64_t lane_ns = std::numeric_limits<int64_t>::max();
  for (size_t g = 0; g < periods.size(); ++g) {
    const InactivePeriod& period = periods[g];
    const int64_t start_ns = std::min(lane_ns, TimeAt(facts, period.to)) -
                             CopyInNs(facts, period.tensor, 1);
    const int64_t exposed_ns = out_ends_ns[g] - start_ns;
    const int64_t ns = period.to > facts.kernel_count()
                           ? -1
                           : recomputation.TimeNs(period.tensor, period.to);
    if (ns < 0 || ns >= exposed_ns) {
      lane_ns = std::max(-kLatestNs, start_ns);
      continue;
    }
    ++share.tensors;
    share.bytes += facts.graph.tensors[period.tensor].size_bytes;
    share.recompute_ns += ns;
  }
  return share;
}

std::string RecomputeNote(const StepFacts& facts,
                          const std::vector<InactivePeriod>& periods) {
  const RecomputeShare share = FindRecomputeShare(facts, periods);
  if (share.tensors == 0) {
    return "Capuchin would compute nothing again: all copies hide, or "
           "computing "
           "again takes longer than waiting for them.";
  }
  return absl::StrCat("Capuchin would compute ", share.tensors, " of the ",
                      periods.size(), " tensors it evicts again, ",
                      DescribeBytes(share.bytes), ", in an estimated ",
                      share.recompute_ns / 1000,
                      " us; plans cannot compute again, so they are swapped.");
}

SwapRun DecideCapuchin(const StepFacts& facts, int64_t budget_bytes) {
  const std::vector<InactivePeriod> periods =
      SelectByFreeTime(facts, budget_bytes);
  std::vector<Offload> offloads;
  offloads.reserve(periods.size());
  for (const InactivePeriod& period : periods) {
    offloads.push_back({.period = period, .leave = period.from});
  }
  FetchJustInTime(facts, offloads);
  SwapRun run = RunOffloads(facts, offloads, budget_bytes);
  run.notes.push_back(RecomputeNote(facts, periods));
  return run;
}

}  // namespace

std::string_view CapuchinPolicy::name() const { return "capuchin"; }

std::string_view CapuchinPolicy::description() const {
  return "swap the tensors with the longest free time between accesses; notes "
         "what it would recompute (Capuchin, Peng et al., ASPLOS 2020)";
}

absl::StatusOr<Plan> CapuchinPolicy::MakePlan(
    const Graph& graph, const MemorySystem& system,
    const PlanOptions& options) const {
  return PlanBySwapping(graph, system, options, name(), DecideCapuchin);
}

}  // namespace stowage::policies
