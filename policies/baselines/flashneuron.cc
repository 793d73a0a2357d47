#include "policies/baselines/flashneuron.h"

#include <algorithm>
#include <vector>

#include "policies/swap/offload.h"
#include "policies/swap/pressure.h"

namespace stowage::policies {
namespace {

// Selects tensors linearly (FlashNeuron, section 3.2): from the first feature
// map of the forward pass on, until the rest fits.
std::vector<InactivePeriod> SelectLinearly(const StepFacts& facts,
                                           int64_t budget_bytes) {
  Pressure pressure(facts, budget_bytes);
  std::vector<InactivePeriod> selected;
  for (const InactivePeriod& period : FeatureMaps(facts)) {
    if (facts.IsCancelled() || !pressure.IsOverAnywhere()) break;
    pressure.Relieve(period.from, period.to, facts.bytes[period.tensor]);
    selected.push_back(period);
  }
  return selected;
}

SwapRun DecideFlashneuron(const StepFacts& facts, int64_t budget_bytes) {
  const KernelIndex turn = TurningPoint(facts);
  const TierIndex ssd = facts.system.tier_count() - 1;
  std::vector<Offload> offloads;
  for (const InactivePeriod& period : SelectLinearly(facts, budget_bytes)) {
    // They come back in the order of need, from the turn on, as soon as there
    // is room.
    offloads.push_back({.period = period,
                        .tier = ssd,
                        .leave = period.from,
                        .fetch = std::max(period.from, turn)});
  }
  return RunOffloads(facts, offloads, budget_bytes);
}

}  // namespace

std::string_view FlashneuronPolicy::name() const { return "flashneuron"; }

std::string_view FlashneuronPolicy::description() const {
  return "offload feature maps to the SSD from the first on, prefetch them in "
         "the backward pass (FlashNeuron, Bae et al., FAST 2021)";
}

absl::StatusOr<Plan> FlashneuronPolicy::MakePlan(
    const Graph& graph, const MemorySystem& system,
    const PlanOptions& options) const {
  return PlanBySwapping(graph, system, options, name(), DecideFlashneuron);
}

}  // namespace stowage::policies
