#include "policies/baselines/vdnn.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "policies/swap/offload.h"

namespace stowage::policies {
namespace {

// Groups consecutive kernels of one layer. vDNN starts and awaits copies where
// layers begin and end.
class LayerRuns {
 public:
  explicit LayerRuns(const Graph& graph) {
    for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
      const Kernel& kernel = graph.kernels[k];
      if (k == 0 || kernel.layer != graph.kernels[k - 1].layer) {
        begins_.push_back(k);
        convolves_.push_back(false);
      }
      run_of_.push_back(static_cast<int>(begins_.size()) - 1);
      convolves_.back() |= IsConvolution(kernel);
    }
    begins_.push_back(graph.kernel_count());
  }

  static bool IsConvolution(const Kernel& kernel) {
    return absl::StrContains(absl::AsciiStrToLower(kernel.name), "conv");
  }

  int run_of(KernelIndex k) const { return run_of_[k]; }
  KernelIndex begin(int run) const { return begins_[run]; }
  KernelIndex end(int run) const { return begins_[run + 1]; }
  bool convolves(int run) const { return convolves_[run] != 0; }

 private:
  std::vector<int> run_of_;          // by kernel
  std::vector<KernelIndex> begins_;  // by run, and the end
  std::vector<char> convolves_;      // by run
};

bool Operates(const Kernel& kernel, TensorIndex t, bool on_writes) {
  return std::any_of(kernel.operands.begin(), kernel.operands.end(),
                     [&](const Operand& operand) {
                       return operand.tensor == t &&
                              (on_writes ? operand.write : operand.read);
                     });
}

// Returns whether a convolution of the forward pass reads the feature map.
bool FeedsConvolution(const StepFacts& facts, const InactivePeriod& period) {
  for (KernelIndex k : facts.uses[period.tensor]) {
    if (k >= period.from) break;
    const Kernel& kernel = facts.graph.kernels[k];
    if (LayerRuns::IsConvolution(kernel) &&
        Operates(kernel, period.tensor, /*on_writes=*/false)) {
      return true;
    }
  }
  return false;
}

// Returns the layer run during which the feature map comes back for run
// `needed_in`: the one before it or, further ahead, the convolution before it.
// vDNN's search for the next layer to prefetch goes that far.
int FetchingRun(const LayerRuns& runs, int needed_in, KernelIndex turn) {
  int run = needed_in - 1;
  while (run > 0 && runs.begin(run - 1) >= turn && !runs.convolves(run)) --run;
  return std::max(0, run);
}

Offload OffloadOf(const StepFacts& facts, const LayerRuns& runs,
                  const InactivePeriod& period, KernelIndex turn) {
  Offload offload{.period = period};
  const KernelIndex last_use = period.from - 1;
  // The copy runs while its last layer reads it. That layer is done with it at
  // its end.
  const bool read_only = !Operates(facts.graph.kernels[last_use], period.tensor,
                                   /*on_writes=*/true);
  offload.leave = read_only ? last_use : period.from;
  const KernelIndex layer_end = runs.end(runs.run_of(last_use));
  offload.gone_by = std::clamp(layer_end, period.from, period.to);
  const int fetching = FetchingRun(runs, runs.run_of(period.to), turn);
  offload.fetch = std::clamp(runs.begin(fetching), period.from, period.to);
  offload.back_by = std::clamp(runs.end(fetching), offload.fetch, period.to);
  return offload;
}

SwapRun RunVdnn(const StepFacts& facts, int64_t budget_bytes,
                bool convolutions_only) {
  const LayerRuns runs(facts.graph);
  const KernelIndex turn = TurningPoint(facts);
  std::vector<Offload> offloads;
  for (const InactivePeriod& period : FeatureMaps(facts)) {
    // Only feature maps of one step count: vDNN knows none that live on to the
    // next.
    if (period.to > facts.kernel_count()) continue;
    if (convolutions_only && !FeedsConvolution(facts, period)) continue;
    offloads.push_back(OffloadOf(facts, runs, period, turn));
  }
  return RunOffloads(facts, offloads, budget_bytes);
}

// Runs vDNN-dyn without its choice of algorithms: the least offloading that
// fits.
SwapRun DecideVdnn(const StepFacts& facts, int64_t budget_bytes) {
  SwapRun run = RunVdnn(facts, budget_bytes, /*convolutions_only=*/true);
  if (run.follows_script()) return run;
  return RunVdnn(facts, budget_bytes, /*convolutions_only=*/false);
}

}  // namespace

std::string_view VdnnPolicy::name() const { return "vdnn"; }

std::string_view VdnnPolicy::description() const {
  return "offload convolution inputs, or all feature maps, layer by layer, and "
         "prefetch them a layer ahead (vDNN, Rhu et al., MICRO 2016)";
}

absl::StatusOr<Plan> VdnnPolicy::MakePlan(const Graph& graph,
                                          const MemorySystem& system,
                                          const PlanOptions& options) const {
  return PlanBySwapping(graph, system, options, name(), DecideVdnn);
}

}  // namespace stowage::policies
