#include "policies/search/absences/transfer.h"

#include <algorithm>

#include "policies/model/groups.h"

namespace stowage::policies {
namespace {

void PlaceOut(KernelIndex step, Transfer& transfer) {
  const Absence& absence = transfer.placed.absence;
  const InactivePeriod& period = absence.period;
  const KernelIndex last = step - 1;
  const KernelIndex by = period.mandatory()
                             ? std::min(period.slow_first, period.to - 1)
                             : period.to - 1;
  if (absence.out_next) transfer.out_turn = step;
  transfer.leave = transfer.out_turn > 0 ? 0 : period.from;
  transfer.out_by = std::min(by - transfer.out_turn, last);
}

void PlaceIn(KernelIndex step, Transfer& transfer) {
  const Absence& absence = transfer.placed.absence;
  const InactivePeriod& period = absence.period;
  const KernelIndex last = step - 1;
  transfer.due = period.to;
  if (absence.in_next) {
    transfer.in_turn = step;
    transfer.due = period.to - step;
  } else if (period.to >= step) {
    transfer.due = last;
    transfer.out_by = std::min(transfer.out_by, last - 1);
  }
  const KernelIndex after =
      period.mandatory() ? period.slow_last + 1 : period.from;
  transfer.fetch_from = std::max(0, after - transfer.in_turn);
}

// Returns whether kernel `k`, in either turn, finds the tensor out of the fast
// tier.
bool CoversUse(const InactivePeriod& period, KernelIndex k, KernelIndex step) {
  const bool moves = period.moves_out || period.moves_in;
  const KernelIndex first = moves ? period.slow_first : period.from;
  const KernelIndex last = moves ? period.slow_last : period.to - 1;
  return (k >= first && k <= last) || (k + step >= first && k + step <= last);
}

}  // namespace

KernelIndex Transfer::absent_from() const {
  return placed.absence.period.moves_out ? leave + out_turn
                                         : placed.absence.period.from;
}

KernelIndex Transfer::absent_to() const {
  return placed.absence.period.moves_in ? due + in_turn
                                        : placed.absence.period.to;
}

Transfer MakeTransfer(const CostModel& costs, const PlacedAbsence& placed) {
  const KernelIndex step = costs.graph().kernel_count() + 1;
  Transfer transfer{.placed = placed};
  if (placed.absence.period.moves_out) PlaceOut(step, transfer);
  if (placed.absence.period.moves_in) PlaceIn(step, transfer);
  return transfer;
}

std::vector<int64_t> KernelTimesNs(const CostModel& costs,
                                   const std::vector<PlacedAbsence>& absences) {
  const Graph& graph = costs.graph();
  const KernelIndex step = graph.kernel_count() + 1;
  const Groups slow(graph.tensors.size(), [&](auto add) {
    for (size_t i = 0; i < absences.size(); ++i) {
      const InactivePeriod& period = absences[i].absence.period;
      if (!period.mandatory() && (period.moves_out || period.moves_in)) {
        continue;
      }
      add(period.tensor, static_cast<int>(i));
    }
  });
  std::vector<int64_t> times_ns;
  times_ns.reserve(graph.kernels.size());
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    const auto tier_of = [&](TensorIndex t) -> TierIndex {
      for (const int i : slow[t]) {
        if (CoversUse(absences[i].absence.period, k, step)) {
          return absences[i].tier;
        }
      }
      return kFastTier;
    };
    const auto& operands = graph.kernels[k].operands;
    const bool any =
        std::any_of(operands.begin(), operands.end(),
                    [&](const Operand& o) { return !slow[o.tensor].empty(); });
    times_ns.push_back(any ? costs.KernelNs(k, tier_of)
                           : costs.fast_boundary_ns()[k + 1] -
                                 costs.fast_boundary_ns()[k]);
  }
  return times_ns;
}

}  // namespace stowage::policies
