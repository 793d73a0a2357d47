#include "policies/baselines/capuchin.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "policies/baselines/offload.h"
#include "policies/baselines/pressure.h"
#include "policies/model/byte_size.h"
#include "policies/model/liveness.h"

namespace stowage {
namespace {

// Free time (Capuchin, section 4.3): between the end of the swap out right
// after one access and the start of the swap in right before the next.
// Negative: the part of the copies that is exposed.
int64_t FreeTimeNs(const StepFacts& facts, const Gap& gap) {
  return TimeAt(facts, gap.to) - TimeAt(facts, gap.from) -
         CopyOutNs(facts, gap.tensor, 1) - CopyInNs(facts, gap.tensor, 1);
}

// By free time, the longest first, until the rest fits.
std::vector<Gap> SelectByFreeTime(const StepFacts& facts,
                                  int64_t budget_bytes) {
  std::vector<Gap> gaps = SwappableGaps(facts);
  std::erase_if(gaps, [&](const Gap& gap) {
    return facts.graph.tensors[gap.tensor].persistent;
  });
  std::stable_sort(gaps.begin(), gaps.end(), [&](const Gap& a, const Gap& b) {
    return FreeTimeNs(facts, a) > FreeTimeNs(facts, b);
  });
  Pressure pressure(facts, budget_bytes);
  std::erase_if(gaps, [&](const Gap& gap) {
    if (!pressure.IsOver(gap.from, gap.to)) return true;
    pressure.Relieve(gap.from, gap.to, facts.bytes[gap.tensor]);
    return false;
  });
  return gaps;
}

// What it takes to compute tensors again.
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

  // Time of the kernels that make the tensor again at kernel `at`: its
  // producer and, where inputs have died by then, theirs. -1 when it cannot be
  // made from what is alive.
  int64_t TimeNs(TensorIndex t, KernelIndex at, int depth = 0) const {
    const KernelIndex producer = producer_[t];
    const Tensor& tensor = facts_.graph.tensors[t];
    if (producer < 0 || producer >= at || tensor.persistent ||
        depth > kMaxLineage) {
      return -1;
    }
    int64_t ns =
        facts_.boundary_ns[producer + 1] - facts_.boundary_ns[producer];
    for (const Operand& operand : facts_.graph.kernels[producer].operands) {
      if (!operand.read || operand.tensor == t) continue;
      if (AliveAt(facts_.graph.tensors[operand.tensor], at)) continue;
      const int64_t input_ns = TimeNs(operand.tensor, at, depth + 1);
      if (input_ns < 0) return -1;
      ns += input_ns;
    }
    return ns;
  }

 private:
  // Kernels that are computed again one after the other for one tensor.
  static constexpr int kMaxLineage = 8;

  const StepFacts& facts_;
  std::vector<KernelIndex> producer_;  // by tensor
};

// When each gap's copy out ends, one after the other in the lane.
std::vector<int64_t> OutEndsNs(const StepFacts& facts,
                               const std::vector<Gap>& gaps) {
  std::vector<size_t> order(gaps.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return gaps[a].from < gaps[b].from;
  });
  std::vector<int64_t> ends_ns(gaps.size());
  int64_t lane_ns = 0;
  for (size_t g : order) {
    lane_ns = std::max(lane_ns, TimeAt(facts, gaps[g].from)) +
              CopyOutNs(facts, gaps[g].tensor, 1);
    ends_ns[g] = lane_ns;
  }
  return ends_ns;
}

struct RecomputeShare {
  int64_t tensors = 0;
  int64_t bytes = 0;
  int64_t recompute_ns = 0;
};

// Which of the gaps Capuchin would fill by computing the tensor again: those
// whose copies, given what else is in the lanes, are exposed for longer than
// that takes (section 4.4). From the last need to the first, as copies in are
// fitted into their lane; what is computed again leaves the lane to others.
RecomputeShare FindRecomputeShare(const StepFacts& facts,
                                  std::vector<Gap> gaps) {
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const Gap& a, const Gap& b) { return a.to > b.to; });
  const Recomputation recomputation(facts);
  const std::vector<int64_t> out_ends_ns = OutEndsNs(facts, gaps);
  RecomputeShare share;
  int64_t lane_ns = std::numeric_limits<int64_t>::max();
  for (size_t g = 0; g < gaps.size(); ++g) {
    const Gap& gap = gaps[g];
    const int64_t start_ns = std::min(lane_ns, TimeAt(facts, gap.to)) -
                             CopyInNs(facts, gap.tensor, 1);
    const int64_t exposed_ns = out_ends_ns[g] - start_ns;
    const int64_t ns = gap.to > facts.kernel_count()
                           ? -1
                           : recomputation.TimeNs(gap.tensor, gap.to);
    if (ns < 0 || ns >= exposed_ns) {
      lane_ns = start_ns;
      continue;
    }
    ++share.tensors;
    share.bytes += facts.graph.tensors[gap.tensor].size_bytes;
    share.recompute_ns += ns;
  }
  return share;
}

std::string RecomputeNote(const StepFacts& facts,
                          const std::vector<Gap>& gaps) {
  const RecomputeShare share = FindRecomputeShare(facts, gaps);
  if (share.tensors == 0) {
    return "Capuchin would compute nothing again: all copies hide, or "
           "computing "
           "again takes longer than waiting for them.";
  }
  return absl::StrCat("Capuchin would compute ", share.tensors, " of the ",
                      gaps.size(), " tensors it evicts again, ",
                      DescribeBytes(share.bytes), ", in an estimated ",
                      share.recompute_ns / 1000,
                      " us; plans cannot compute again, so they are swapped.");
}

SwapRun DecideCapuchin(const StepFacts& facts, int64_t budget_bytes) {
  const std::vector<Gap> gaps = SelectByFreeTime(facts, budget_bytes);
  std::vector<Offload> offloads;
  for (const Gap& gap : gaps) {
    offloads.push_back({.gap = gap, .leave = gap.from});
  }
  FetchJustInTime(facts, offloads);
  SwapRun run = RunOffloads(facts, offloads, budget_bytes);
  run.notes.push_back(RecomputeNote(facts, gaps));
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

}  // namespace stowage
