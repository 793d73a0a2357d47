#include "policies/deeptm/decision.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "policies/deeptm/environment.h"
#include "policies/model/liveness.h"

namespace stowage::policies {
namespace {

uint8_t Share(double share) {
  return static_cast<uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
}

// Returns a / (a + b).
uint8_t Against(double a, double b) {
  return Share(a + b > 0 ? a / (a + b) : 0);
}

}  // namespace

DecisionDescriber::DecisionDescriber(const Environment& environment,
                                     int64_t budget_bytes)
    : environment_(environment),
      budget_bytes_(budget_bytes),
      accesses_(environment.graph()),
      boundary_ns_({0}),
      demand_(environment.graph().tensors.size()) {
  const KernelIndex kernels = environment.graph().kernel_count();
  for (KernelIndex k = 0; k < kernels; ++k) {
    kernel_ns_.push_back(
        environment.KernelNs(k, [](TensorIndex) { return true; }));
  }
  for (KernelIndex k = 0; k < 2 * kernels; ++k) {
    boundary_ns_.push_back(boundary_ns_.back() + kernel_ns_[k % kernels]);
  }
}

std::vector<Decision> DecisionDescriber::Describe(
    KernelIndex k, const std::vector<HeatTable::Entry>& row) {
  FindDemand(k, row);
  std::vector<Decision> decisions;
  decisions.reserve(row.size());
  for (const HeatTable::Entry& entry : row) {
    const TensorIndex t = entry.tensor;
    const auto in_ns = static_cast<double>(environment_.InNs(t));
    const auto out_ns = static_cast<double>(environment_.OutNs(t));
    const KernelIndex distance = accesses_.FutureDistance(t, k);
    Decision decision{.tensor = t, .heat = entry.heat};
    std::copy(entry.logarithms.begin(), entry.logarithms.end(),
              decision.features.begin());
    decision.features[Decision::kDemand] = Share(demand_[t] / 2);
    decision.features[Decision::kUrgency] =
        Against(TimeUntilNs(k, distance), in_ns);
    decision.features[Decision::kWindow] =
        Against(kernel_ns_[k], std::max(in_ns, out_ns));
    decision.features[Decision::kWorth] =
        Against(LossNs(k + distance, t), in_ns);
    decisions.push_back(decision);
  }
  return decisions;
}

// Finds the demand by going through the tensors in the order of their next
// access from the next kernel on, with those that are born there. A tensor that
// dies at this kernel counts as accessed now.
void DecisionDescriber::FindDemand(KernelIndex k,
                                   const std::vector<HeatTable::Entry>& row) {
  const Graph& graph = environment_.graph();
  const KernelIndex next = std::min(k + 1, graph.kernel_count() - 1);
  std::vector<std::pair<KernelIndex, TensorIndex>> order;
  for (const HeatTable::Entry& entry : row) {
    const bool goes_on = AliveAt(graph.tensors[entry.tensor], next);
    order.push_back(
        {goes_on ? accesses_.FutureDistance(entry.tensor, next) + 1 : 0,
         entry.tensor});
  }
  if (next != k) {
    for (TensorIndex t : environment_.Births(next)) {
      order.push_back({accesses_.FutureDistance(t, next) + 1, t});
    }
  }
  std::sort(order.begin(), order.end());
  const auto room_bytes = static_cast<double>(std::max<int64_t>(
      1, std::min(environment_.RoomBytes(k, budget_bytes_),
                  environment_.RoomBytes(next, budget_bytes_))));
  int64_t bytes = 0;
  for (const auto& [distance, t] : order) {
    bytes += environment_.Bytes(t);
    demand_[t] = static_cast<double>(bytes) / room_bytes;
  }
}

double DecisionDescriber::TimeUntilNs(KernelIndex k,
                                      KernelIndex kernels) const {
  return static_cast<double>(boundary_ns_[k + kernels] - boundary_ns_[k]);
}

double DecisionDescriber::LossNs(KernelIndex k, TensorIndex t) const {
  const Graph& graph = environment_.graph();
  const KernelIndex at = k % graph.kernel_count();
  const std::vector<Operand>& operands = graph.kernels[at].operands;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].tensor != t) continue;
    return static_cast<double>(environment_.LossNs(at, i));
  }
  return 0;
}

}  // namespace stowage::policies
