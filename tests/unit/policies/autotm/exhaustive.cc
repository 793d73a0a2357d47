#include "tests/unit/policies/autotm/exhaustive.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "policies/model/kernel_cost.h"
#include "policies/model/liveness.h"

namespace stowage::policies {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

enum Place : uint8_t { kDead, kSlow, kFastClean, kFastStale };
using State = std::vector<Place>;  // by tensor

bool IsFast(Place place) { return place >= kFastClean; }

int64_t Rounded(int64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

// Returns the kernel's best time with the fast tensors held in `arena_bytes`,
// among the implementations whose workspace fits as well.
template <typename IsFastTensor>
double BestKernelNs(const Graph& graph, const MemorySystem& system,
                    int64_t arena_bytes, KernelIndex k, IsFastTensor is_fast) {
  int64_t held = 0, workspace = 0;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    if (!AliveAt(graph.tensors[t], k)) continue;
    if (graph.tensors[t].kind == TensorKind::kWorkspace) {
      workspace = graph.tensors[t].size_bytes;
    } else if (is_fast(t)) {
      held += Rounded(graph.tensors[t].size_bytes);
    }
  }
  double best_ns = kNever;
  Kernel kernel = graph.kernels[k];
  for (size_t i = 0; i <= graph.kernels[k].alternatives.size(); ++i) {
    if (i > 0) {
      const KernelImplementation& other = graph.kernels[k].alternatives[i - 1];
      kernel.profile = other.profile;
      workspace = std::max<int64_t>(1, other.workspace_bytes);
    }
    if (held + Rounded(workspace) > arena_bytes) continue;
    best_ns = std::min<double>(
        best_ns, KernelDurationNs(graph, kernel, system, [&](TensorIndex t) {
          return is_fast(t) ? 0 : 1;
        }));
  }
  return kernel.gap_ns + best_ns;
}

class StepSearch {
 public:
  StepSearch(const Graph& graph, const MemorySystem& system,
             int64_t arena_bytes, bool write_back_once)
      : graph_(graph),
        system_(system),
        arena_bytes_(arena_bytes),
        write_back_once_(write_back_once),
        births_(BirthsByKernel(graph)) {}

  double Best() {
    double best_ns = kNever;
    for (const State& start : Starts()) {
      std::map<State, double> costs = {{start, 0}};
      for (KernelIndex k = 0; k < graph_.kernel_count(); ++k) {
        costs = AfterKernel(k, costs);
      }
      // Moves at the end of the step lead back to where it began.
      for (const auto& [state, ns] : costs) {
        for (const auto& [moved, move_ns] : Moved(state)) {
          State end = moved;
          // No place is kept from one step to the next.
          std::replace(end.begin(), end.end(), kFastClean, kFastStale);
          if (end == start) best_ns = std::min(best_ns, ns + move_ns);
        }
      }
    }
    return best_ns;
  }

 private:
  std::vector<State> Starts() const {
    std::vector<State> starts = {State(graph_.tensors.size(), kDead)};
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      if (!graph_.tensors[t].alive_at_start()) continue;
      std::vector<State> more;
      for (State state : starts) {
        for (Place place : {kSlow, kFastStale}) {
          state[t] = place;
          more.push_back(state);
        }
      }
      starts = more;
    }
    return starts;
  }

  // Returns every state that moves lead to, and what they cost.
  std::map<State, double> Moved(const State& from) const {
    std::map<State, double> reached = {{from, 0}};
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      if (!graph_.tensors[t].movable()) continue;
      const int64_t bytes = graph_.tensors[t].size_bytes;
      std::map<State, double> more = reached;
      for (const auto& [before, before_ns] : reached) {
        State state = before;
        double ns = before_ns;
        if (state[t] == kSlow) {
          state[t] = kFastClean;
          ns += system_.CopyDurationNs(1, 0, bytes);
        } else if (IsFast(state[t])) {
          const bool free = state[t] == kFastClean && write_back_once_;
          if (!free) ns += system_.CopyDurationNs(0, 1, bytes);
          state[t] = kSlow;
        } else {
          continue;
        }
        more.insert({state, ns});
      }
      reached = more;
    }
    return reached;
  }

  std::vector<State> Born(KernelIndex k, const State& from) const {
    std::vector<State> states = {from};
    for (TensorIndex t : births_[k]) {
      if (!graph_.tensors[t].movable()) continue;
      std::vector<State> more;
      for (State state : states) {
        for (Place place : {kSlow, kFastStale}) {
          state[t] = place;
          more.push_back(state);
        }
      }
      states = more;
    }
    return states;
  }

  double KernelNs(KernelIndex k, const State& state) const {
    return BestKernelNs(graph_, system_, arena_bytes_, k,
                        [&](TensorIndex t) { return IsFast(state[t]); });
  }

  State Finished(KernelIndex k, State state) const {
    for (const Operand& operand : graph_.kernels[k].operands) {
      Place& place = state[operand.tensor];
      if (operand.write && IsFast(place)) place = kFastStale;
    }
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      const Tensor& tensor = graph_.tensors[t];
      if (!tensor.persistent && tensor.death_kernel == k) state[t] = kDead;
    }
    return state;
  }

  std::map<State, double> AfterKernel(
      KernelIndex k, const std::map<State, double>& before) const {
    std::map<State, double> after;
    for (const auto& [from, ns] : before) {
      for (const auto& [moved, move_ns] : Moved(from)) {
        for (const State& state : Born(k, moved)) {
          const double total_ns = ns + move_ns + KernelNs(k, state);
          if (total_ns == kNever) continue;
          const auto [at, inserted] =
              after.insert({Finished(k, state), total_ns});
          if (!inserted) at->second = std::min(at->second, total_ns);
        }
      }
    }
    return after;
  }

  const Graph& graph_;
  const MemorySystem& system_;
  const int64_t arena_bytes_;
  const bool write_back_once_;
  const Groups births_;
};

}  // namespace

double BestSynchronousNs(const Graph& graph, const MemorySystem& system,
                         int64_t arena_bytes, bool write_back_once) {
  return StepSearch(graph, system, arena_bytes, write_back_once).Best();
}

double BestStaticNs(const Graph& graph, const MemorySystem& system,
                    int64_t arena_bytes) {
  double best_ns = kNever;
  for (uint32_t fast = 0; fast < (1u << graph.tensor_count()); ++fast) {
    double ns = 0;
    for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
      ns += BestKernelNs(graph, system, arena_bytes, k, [&](TensorIndex t) {
        return (fast >> t & 1) == 1 && AliveAt(graph.tensors[t], k);
      });
    }
    best_ns = std::min(best_ns, ns);
  }
  return best_ns;
}

Graph TinyGraph(uint64_t seed, int kernels) {
  std::mt19937_64 random(seed);
  const auto roll = [&](int low, int high) {
    return low + static_cast<int>(random() % (high - low + 1));
  };
  Graph graph{.name = "tiny"};
  const int tensors = roll(3, 6);
  for (int t = 0; t < tensors; ++t) {
    Tensor tensor{.size_bytes = roll(1, 32) * 65536,
                  .kind = TensorKind::kActivation};
    // At most three, since every start of a step is tried.
    tensor.persistent = t < 2 && roll(0, 1) == 0;
    if (!tensor.persistent) {
      const int a = roll(0, kernels - 1), b = roll(0, kernels - 1);
      tensor.birth_kernel = std::min(a, b);
      tensor.death_kernel = std::max(a, b);
      if (t == 2 && roll(0, 2) == 0) {
        std::swap(tensor.birth_kernel, tensor.death_kernel);
      }
    }
    graph.tensors.push_back(tensor);
  }
  for (KernelIndex k = 0; k < kernels; ++k) {
    Kernel kernel{.name = "kernel" + std::to_string(k)};
    const int64_t fast_ns = roll(0, 200) * 1000;
    kernel.gap_ns = roll(0, 3) * 100;
    kernel.profile.fast_inputs_fast_outputs = {fast_ns,
                                               DurationSource::kMeasured};
    if (roll(0, 2) == 0) {
      const int64_t in_ns = fast_ns + roll(0, 400) * 1000;
      const int64_t out_ns = fast_ns + roll(0, 900) * 1000;
      const int64_t both_ns = std::max(in_ns, out_ns) + roll(0, 500) * 1000;
      kernel.profile.slow_inputs_fast_outputs = {in_ns,
                                                 DurationSource::kMeasured};
      kernel.profile.fast_inputs_slow_outputs = {out_ns,
                                                 DurationSource::kMeasured};
      kernel.profile.slow_inputs_slow_outputs = {both_ns,
                                                 DurationSource::kMeasured};
    }
    for (TensorIndex t = 0; t < tensors; ++t) {
      const Tensor& tensor = graph.tensors[t];
      const bool born = !tensor.persistent && tensor.birth_kernel == k;
      if (!born && (!AliveAt(tensor, k) || roll(0, 99) >= 45)) continue;
      const bool write = born || roll(0, 3) == 0;
      const bool read = !born && (!write || roll(0, 1) == 0);
      kernel.operands.push_back({t, read, write, roll(1, 2)});
    }
    graph.kernels.push_back(kernel);
  }
  return graph;
}

}  // namespace stowage::policies
