#include "policies/baselines/capuchin.h"

#include <algorithm>
#include <cstddef>
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

// Which of the gaps Capuchin would fill by computing the tensor again: those
// whose copies are exposed for longer than that takes (section 4.4).
std::string RecomputeNote(const StepFacts& facts,
                          const std::vector<Gap>& gaps) {
  const Recomputation recomputation(facts);
  int64_t count = 0, bytes = 0, recompute_ns = 0, exposed_ns = 0;
  for (const Gap& gap : gaps) {
    const int64_t free_ns = FreeTimeNs(facts, gap);
    if (free_ns >= 0 || gap.to > facts.kernel_count()) continue;
    const int64_t ns = recomputation.TimeNs(gap.tensor, gap.to);
    if (ns < 0 || ns >= -free_ns) continue;
    ++count;
    bytes += facts.graph.tensors[gap.tensor].size_bytes;
    recompute_ns += ns;
    exposed_ns -= free_ns;
  }
  return absl::StrCat("Capuchin would compute ", count, " of the ", gaps.size(),
                      " tensors it evicts again instead of swapping them, ",
                      DescribeBytes(bytes), ", in an estimated ",
                      recompute_ns / 1000, " us instead of ", exposed_ns / 1000,
                      " us of exposed copies; plans cannot compute again, so "
                      "they are swapped.");
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
