#include "tools/stowage/import/trace_graph.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/stowage/import/roofline.h"
#include "tools/stowage/import/trace_iteration.h"
#include "tools/stowage/import/traced_kernels.h"

namespace stowage::cli {
namespace {

// A storage within the chosen iteration, from whose start kernels count.
struct TensorUse {
  bool alive_at_start = false;
  std::optional<int> wrap_birth;  // born here in the step before
  int first_kernel = 0;
  int last_kernel = 0;
  bool scratch = true;  // one kernel made and dropped it
  bool in_optimizer = false;
  bool outside_optimizer = false;
  Phase birth_phase = Phase::kForward;
};

// Builds the graph of one iteration. Owns nothing that it is given.
class IterationGraph {
 public:
  IterationGraph(const ExecutionTrace& trace, const TracedKernels& traced,
                 KernelRange previous, KernelRange range)
      : trace_(trace), traced_(traced), previous_(previous), range_(range) {}

  v1::Graph Build() {
    CollectUses();
    JoinWrappingTensors();
    v1::Graph graph;
    for (const auto& [instance, use] : uses_) AddTensor(instance, use, graph);
    for (int k = range_.begin; k < range_.end; ++k) AddKernel(k, graph);
    return graph;
  }

 private:
  const OperatorCall& CallOf(int kernel) const {
    return traced_.calls[traced_.kernels[kernel].call];
  }
  const std::string& NameOf(int kernel) const {
    return trace_.nodes[CallOf(kernel).node].name;
  }

  void CollectUses() {
    const int first_call = traced_.kernels[range_.begin].call;
    for (int k = range_.begin; k < range_.end; ++k) {
      for (const auto& [instance, effect] : traced_.kernels[k].effects) {
        NoteUse(instance, effect, k, first_call);
      }
    }
  }

  void NoteUse(int instance, const InstanceUse& effect, int kernel,
               int first_call) {
    const int index = kernel - range_.begin;
    const Phase phase = CallOf(kernel).phase;
    auto [at, added] = uses_.try_emplace(instance);
    TensorUse& use = at->second;
    if (added) {
      use.first_kernel = index;
      use.birth_phase = phase;
      use.alive_at_start = traced_.instances[instance].birth_call < first_call;
    }
    use.last_kernel = index;
    use.scratch &= effect.internal;
    use.in_optimizer |= phase == Phase::kOptimizer;
    use.outside_optimizer |= phase != Phase::kOptimizer;
  }

  // Joins a tensor that the step before left behind with the one that this step
  // leaves behind at the same place. They are one tensor that wraps around.
  void JoinWrappingTensors() {
    std::map<std::pair<int, int>, int> born;  // (kernel, ordinal) -> instance
    for (const auto& [instance, use] : uses_) {
      if (use.alive_at_start) continue;
      born[{use.first_kernel, traced_.instances[instance].birth_ordinal}] =
          instance;
    }
    for (auto& [instance, use] : uses_) {
      const std::optional<int> birth = PreviousBirth(instance, use);
      if (!birth || use.last_kernel >= *birth) continue;
      const auto next =
          born.find({*birth, traced_.instances[instance].birth_ordinal});
      if (next == born.end() || next->second == instance) continue;
      if (traced_.instances[next->second].size_bytes() !=
          traced_.instances[instance].size_bytes()) {
        continue;
      }
      joined_[next->second] = instance;
      use.wrap_birth = birth;
    }
    for (const auto& [next, instance] : joined_) {
      uses_[instance].birth_phase = uses_[next].birth_phase;
      uses_.erase(next);
    }
  }

  // Returns the kernel, counted from the start of the step before, that first
  // used `instance` there; nullopt unless this step has the same kernel at its
  // place.
  std::optional<int> PreviousBirth(int instance, const TensorUse& use) const {
    if (!use.alive_at_start) return std::nullopt;
    const int birth_call = traced_.instances[instance].birth_call;
    for (int k = previous_.begin; k < previous_.end; ++k) {
      if (!traced_.kernels[k].effects.contains(instance)) continue;
      const int index = k - previous_.begin;
      if (birth_call < traced_.kernels[previous_.begin].call) break;
      if (range_.begin + index >= range_.end) break;
      if (NameOf(range_.begin + index) != NameOf(k)) break;
      return index;
    }
    return std::nullopt;
  }

  static v1::TensorKind KindOf(const TensorUse& use) {
    if (use.alive_at_start && !use.wrap_birth) {
      if (!use.in_optimizer) return v1::TENSOR_KIND_INPUT;
      return use.outside_optimizer ? v1::TENSOR_KIND_WEIGHT
                                   : v1::TENSOR_KIND_OPTIMIZER_STATE;
    }
    if (use.scratch && use.first_kernel == use.last_kernel) {
      return v1::TENSOR_KIND_WORKSPACE;
    }
    return use.birth_phase == Phase::kBackward ? v1::TENSOR_KIND_GRADIENT
                                               : v1::TENSOR_KIND_ACTIVATION;
  }

  void AddTensor(int instance, const TensorUse& use, v1::Graph& graph) {
    tensor_of_[instance] = graph.tensors_size();
    v1::Tensor& tensor = *graph.add_tensors();
    tensor.set_size_bytes(traced_.instances[instance].size_bytes());
    tensor.set_kind(KindOf(use));
    if (use.wrap_birth) {
      tensor.set_birth_kernel(*use.wrap_birth);
      tensor.set_death_kernel(use.last_kernel);
    } else {
      tensor.set_persistent(use.alive_at_start);
    }
  }

  void AddKernel(int index, v1::Graph& graph) const {
    const OperatorCall& call = CallOf(index);
    v1::Kernel& kernel = *graph.add_kernels();
    kernel.set_name(trace_.nodes[call.node].name);
    kernel.set_flops(CallFlops(trace_, call));
    double bytes = 0;  // any number of any size
    for (const auto& [instance, use] : traced_.kernels[index].effects) {
      const auto joined = joined_.find(instance);
      v1::Operand& operand = *kernel.add_operands();
      operand.set_tensor(
          tensor_of_.at(joined == joined_.end() ? instance : joined->second));
      operand.set_read(use.read || !use.write);
      operand.set_write(use.write);
      operand.set_access_count(std::max(use.access_count, 1));
      bytes += static_cast<double>(traced_.instances[instance].size_bytes());
    }
    v1::ProfiledDuration& fast =
        *kernel.mutable_profile()->mutable_fast_inputs_fast_outputs();
    fast.set_duration_ns(RooflineDurationNs(kernel.flops(), bytes));
    fast.set_source(v1::DURATION_SOURCE_DERIVED);
  }

  const ExecutionTrace& trace_;
  const TracedKernels& traced_;
  const KernelRange previous_;
  const KernelRange range_;
  std::map<int, TensorUse> uses_;  // by instance
  std::map<int, int> joined_;      // born in this step -> what stands for it
  std::map<int, int> tensor_of_;   // by instance
};

std::vector<std::string> Notes(const ExecutionTrace& trace,
                               const TracedKernels& traced,
                               const std::vector<Iteration>& iterations,
                               int chosen) {
  std::vector<std::string> notes = {
      absl::StrCat("iteration ", chosen, " of ", iterations.size(), " (",
                   iterations[chosen].name, ")"),
      absl::StrCat("tensors on ", traced.device, "; skipped ",
                   traced.other_device_tensors, " on other devices, and ",
                   traced.skipped_other_device,
                   " operators that touch nothing else"),
      absl::StrCat("skipped ", traced.skipped_views,
                   " operators of the whole trace that only view, query or "
                   "allocate"),
      "durations are derived (roofline), the trace has none; tensors end with "
      "their last use"};
  if (trace.orphan_count > 0) {
    notes.push_back(
        absl::StrCat(trace.orphan_count,
                     " nodes name a parent that is not in the trace "
                     "(the first is node ",
                     trace.first_orphan_id, "); they were read as roots"));
  }
  return notes;
}

}  // namespace

absl::StatusOr<ImportedGraph> ImportTrace(const ExecutionTrace& trace,
                                          const TraceImportOptions& options) {
  const std::vector<Iteration> iterations = FindIterations(trace);
  const absl::StatusOr<int> chosen =
      ChooseIteration(iterations, options.iteration);
  if (!chosen.ok()) return chosen.status();
  const TracedKernels traced = FindKernels(trace);
  const KernelRange range = KernelsOf(iterations[*chosen], trace, traced);
  if (range.begin == range.end) {
    return absl::InvalidArgumentError(absl::StrCat(
        "iteration ", *chosen, " (", iterations[*chosen].name,
        ") has no operator that writes a tensor; choose another with "
        "--iteration, or capture the trace while the model trains"));
  }
  const KernelRange previous =
      *chosen > 0 ? KernelsOf(iterations[*chosen - 1], trace, traced)
                  : KernelRange{range.begin, range.begin};
  ImportedGraph imported{
      .graph = IterationGraph(trace, traced, previous, range).Build(),
      .format = absl::StrCat("PyTorch execution trace, schema ", trace.schema),
      .notes = Notes(trace, traced, iterations, *chosen)};
  imported.graph.set_schema_version(1);
  imported.graph.set_name(GraphNameFrom(options.name));
  imported.graph.set_source(absl::StrCat("imported, ", imported.format));
  imported.graph.set_processor(kRooflineProcessor);
  v1::ProcessorPeak& peak = *imported.graph.mutable_processor_peak();
  peak.set_flops_per_second(static_cast<int64_t>(kRooflineFlopsPerSecond));
  peak.set_bytes_per_second(static_cast<int64_t>(kRooflineBytesPerSecond));
  return imported;
}

}  // namespace stowage::cli
