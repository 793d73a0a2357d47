#include "policies/autotm/flow_problem.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "policies/layout/address_layout.h"
#include "policies/model/kernel_cost.h"
#include "policies/planning/inactive_period.h"

namespace stowage::policies {
namespace {

// Returns the room for movable tensors at kernel `k`: what pinned tensors and
// workspaces leave of the arena.
int64_t MovableLimit(const Graph& graph, const Workload& workload,
                     KernelIndex k) {
  int64_t fixed_bytes = workload.need_bytes[k];
  for (TensorIndex t : workload.staged[k]) {
    if (!graph.tensors[t].movable()) continue;
    fixed_bytes -= RoundUpToPlacement(graph.tensors[t].size_bytes);
  }
  return workload.arena_bytes - fixed_bytes;
}

// Returns the time of streamed operands, which is the same in every solution.
double WaitForStreamNs(const Graph& graph, const MemorySystem& system,
                       const Stream& stream) {
  const absl::flat_hash_set<TensorIndex> streamed(stream.tensors.begin(),
                                                  stream.tensors.end());
  double ns = 0;
  const Kernel& kernel = graph.kernels[stream.kernel];
  for (const Operand& operand : kernel.operands) {
    if (!streamed.contains(operand.tensor)) continue;
    ns += StreamNs(graph, kernel, operand, system, /*tier=*/1);
  }
  return ns;
}

void FindUsesByKernel(FlowProblem& problem) {
  for (int f = 0; f < static_cast<int>(problem.flows.size()); ++f) {
    const TensorFlow& flow = problem.flows[f];
    for (int i = 0; i < flow.use_count(); ++i) {
      problem.kernels[problem.Roll(flow.uses[i].kernel)].uses.push_back({f, i});
    }
  }
}

// Returns the implementations of a kernel. `workspace` is -1 if it has no
// choice.
std::vector<Implementation> ImplementationsOf(const Graph& graph,
                                              const MemorySystem& system,
                                              const FlowProblem& problem,
                                              KernelIndex k,
                                              TensorIndex workspace) {
  std::vector<TensorIndex> tensors;
  for (const UseRef& ref : problem.kernels[k].uses) {
    tensors.push_back(problem.flows[ref.flow].tensor);
  }
  std::vector<Implementation> implementations;
  int64_t least_bytes = std::numeric_limits<int64_t>::max();
  for (int32_t i = 0; i <= graph.kernels[k].alternatives.size(); ++i) {
    const int64_t bytes =
        workspace < 0
            ? 0
            : RoundUpToPlacement(WorkspaceBytes(graph, k, workspace, i));
    implementations.push_back(
        {.cost = MakeConfigurations(graph, system, {k, i}, tensors),
         .extra_bytes = bytes});
    least_bytes = std::min(least_bytes, bytes);
  }
  for (Implementation& i : implementations) i.extra_bytes -= least_bytes;
  return implementations;
}

struct MoveTimes {
  double synchronous_ns = 0;
  std::vector<double> beside_ns;  // by kernel
};

// Follows one tensor through its life and charges its moves.
class PathWalk {
 public:
  PathWalk(const FlowProblem& problem, const TensorFlow& flow,
           const TensorPath& path, MoveTimes& times)
      : problem_(problem), flow_(flow), path_(path), times_(times) {}

  // Walks a cyclic life twice: its first turn only finds out whether the copy
  // in the slower tier is stale as a step begins.
  void Walk() {
    for (int turn = flow_.cyclic ? 0 : 1; turn < 2; ++turn) {
      for (int i = 0; i < flow_.use_count(); ++i) Step(i, turn == 1);
    }
  }

 private:
  void Step(int i, bool charge) {
    const FlowUse& use = flow_.uses[i];
    if (!path_.fast[i]) stale_ = false;
    if (path_.fast[i] && (use.writes || !problem_.rules.write_back_once)) {
      stale_ = true;
    }
    if (!flow_.has_rest(i)) return;
    const Rest& rest = path_.rests[i];
    if (rest.fast) {
      stale_ = stale_ || problem_.CrossesEnd(flow_, i);
      return;
    }
    if (path_.fast[i]) {
      if (charge && stale_) Charge(flow_.out_ns, rest.leave, rest.left);
      stale_ = false;
    }
    const bool fetched = flow_.has_next(i) && path_.fast[flow_.next(i)];
    if (charge && fetched) Charge(flow_.in_ns, rest.fetch, rest.back);
  }

  void Charge(int64_t ns, KernelIndex start, KernelIndex deadline) {
    if (start == deadline) {
      times_.synchronous_ns += ns;
    } else {
      times_.beside_ns[problem_.Roll(start)] += ns;
    }
  }

  const FlowProblem& problem_;
  const TensorFlow& flow_;
  const TensorPath& path_;
  MoveTimes& times_;
  bool stale_ = false;
};

std::vector<bool> SlowOperands(const KernelProblem& kernel,
                               const Paths& paths) {
  std::vector<bool> slow;
  for (const UseRef& ref : kernel.uses) {
    slow.push_back(!paths[ref.flow].fast[ref.use]);
  }
  return slow;
}

// Returns the fastest implementation with at most `room_bytes`, else the
// smallest.
int32_t BestImplementation(const KernelProblem& kernel, const Paths& paths,
                           int64_t room_bytes) {
  const std::vector<bool> slow = SlowOperands(kernel, paths);
  std::vector<std::pair<double, int32_t>> fitting;
  int32_t smallest = 0;
  for (int32_t i = 0; i < kernel.implementations.size(); ++i) {
    const Implementation& implementation = kernel.implementations[i];
    if (implementation.extra_bytes <= room_bytes) {
      fitting.push_back({implementation.cost.DurationNs(slow), i});
    }
    if (implementation.extra_bytes <
        kernel.implementations[smallest].extra_bytes) {
      smallest = i;
    }
  }
  if (fitting.empty()) return smallest;
  return std::min_element(fitting.begin(), fitting.end())->second;
}

bool HasChoice(const FlowProblem& problem) {
  return std::any_of(problem.kernels.begin(), problem.kernels.end(),
                     [](const KernelProblem& kernel) {
                       return kernel.implementations.size() > 1;
                     });
}

// Adds `bytes` at the unrolled kernels first .. last.
void Hold(const FlowProblem& problem, KernelIndex first, KernelIndex last,
          int64_t bytes, std::vector<int64_t>& held) {
  for (KernelIndex k = first; k <= last; ++k) {
    const KernelIndex rolled = problem.Roll(k);
    if (rolled < problem.kernel_count()) held[rolled] += bytes;
  }
}

void HoldRest(const FlowProblem& problem, const TensorFlow& flow,
              const TensorPath& path, int i, std::vector<int64_t>& held) {
  const Rest& rest = path.rests[i];
  if (rest.fast) {
    Hold(problem, flow.first_rest(i), flow.last_rest(i), flow.bytes, held);
    return;
  }
  if (path.fast[i]) {
    Hold(problem, flow.first_rest(i), rest.left - 1, flow.bytes, held);
  }
  if (flow.has_next(i) && path.fast[flow.next(i)]) {
    Hold(problem, rest.fetch, flow.last_rest(i), flow.bytes, held);
  }
}

// Returns the period between the fast uses `i` and `j`, or to the end of life
// if j < 0.
TakenPeriod CutBetween(const TensorFlow& flow, const TensorPath& path, int i,
                       int j) {
  const int before_j = (j + flow.use_count() - 1) % flow.use_count();
  TakenPeriod cut{.period = {.tensor = flow.tensor}};
  cut.period.from = i < 0 ? flow.uses.front().kernel : flow.first_rest(i);
  cut.period.moves_out = i >= 0;
  cut.period.moves_in = j >= 0;
  if (i >= 0) {
    cut.leave = path.rests[i].leave;
    cut.left = path.rests[i].left;
  }
  if (j >= 0) {
    cut.fetch = path.rests[before_j].fetch;
    cut.back = path.rests[before_j].back;
  }
  return cut;
}

// Moves rests of uses in the second turn of a cycle by a step.
void AddStep(KernelIndex step, TakenPeriod& cut) {
  if (cut.fetch < cut.left) {
    cut.fetch += step;
    cut.back += step;
  }
}

void CutCycle(const FlowProblem& problem, const TensorFlow& flow,
              const TensorPath& path, const std::vector<int>& fast,
              std::vector<TakenPeriod>& cuts) {
  for (size_t n = 0; n < fast.size(); ++n) {
    const int i = fast[n];
    const int j = fast[(n + 1) % fast.size()];
    if (flow.next(i) == j && path.rests[i].fast) continue;
    cuts.push_back(CutBetween(flow, path, i, j));
    AddStep(problem.kernel_count() + 1, cuts.back());
  }
}

void CutLife(const TensorFlow& flow, const TensorPath& path,
             const std::vector<int>& fast, std::vector<TakenPeriod>& cuts) {
  if (fast.front() > 0) cuts.push_back(CutBetween(flow, path, -1, fast[0]));
  for (size_t n = 0; n + 1 < fast.size(); ++n) {
    const bool stays = fast[n] + 1 == fast[n + 1] && path.rests[fast[n]].fast;
    if (!stays) cuts.push_back(CutBetween(flow, path, fast[n], fast[n + 1]));
  }
  const int last = fast.back();
  if (flow.has_rest(last) && !path.rests[last].fast) {
    cuts.push_back(CutBetween(flow, path, last, -1));
  }
}

void CutFlow(const FlowProblem& problem, const TensorFlow& flow,
             const TensorPath& path, std::vector<TakenPeriod>& cuts) {
  std::vector<int> fast;
  for (int i = 0; i < flow.use_count(); ++i) {
    if (path.fast[i]) fast.push_back(i);
  }
  if (fast.empty()) {
    cuts.push_back(CutBetween(flow, path, -1, -1));
  } else if (flow.cyclic) {
    CutCycle(problem, flow, path, fast, cuts);
  } else {
    CutLife(flow, path, fast, cuts);
  }
}

// Makes tensors without a flow, which no kernel uses, slow for good.
void CutUnused(const Graph& graph, const FlowProblem& problem,
               std::vector<TakenPeriod>& cuts) {
  std::vector<bool> used(graph.tensors.size(), false);
  for (const TensorFlow& flow : problem.flows) used[flow.tensor] = true;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    if (used[t] || !graph.tensors[t].movable()) continue;
    cuts.push_back(
        {.period = {.tensor = t, .moves_out = false, .moves_in = false}});
  }
}

}  // namespace

FlowProblem MakeFlowProblem(const Graph& graph, const MemorySystem& system,
                            const Workload& workload, const FlowRules& rules) {
  FlowProblem problem{.rules = rules};
  problem.flows = MakeTensorFlows(graph, system, workload);
  problem.kernels.resize(graph.kernels.size());
  FindUsesByKernel(problem);
  const std::vector<TensorIndex> workspaces = ChoosableWorkspaces(graph);
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    problem.kernels[k].implementations =
        ImplementationsOf(graph, system, problem, k, workspaces[k]);
    problem.kernels[k].limit_bytes = MovableLimit(graph, workload, k);
    problem.constant_ns += graph.kernels[k].gap_ns;
  }
  for (const Stream& stream : workload.streams) {
    problem.constant_ns += WaitForStreamNs(graph, system, stream);
  }
  return problem;
}

std::vector<int32_t> BestImplementations(const FlowProblem& problem,
                                         const Paths& paths) {
  std::vector<int32_t> best(problem.kernels.size(), 0);
  if (!HasChoice(problem)) return best;
  const std::vector<int64_t> held = HeldBytes(problem, paths);
  for (KernelIndex k = 0; k < problem.kernel_count(); ++k) {
    const KernelProblem& kernel = problem.kernels[k];
    best[k] = BestImplementation(kernel, paths, kernel.limit_bytes - held[k]);
  }
  return best;
}

std::vector<ImplementationChoice> ChoicesOf(const FlowProblem& problem,
                                            const Paths& paths) {
  const std::vector<int32_t> best = BestImplementations(problem, paths);
  std::vector<ImplementationChoice> choices;
  for (KernelIndex k = 0; k < problem.kernel_count(); ++k) {
    if (best[k] > 0) choices.push_back({k, best[k]});
  }
  return choices;
}

std::vector<double> KernelTimes(const FlowProblem& problem,
                                const Paths& paths) {
  const std::vector<int32_t> best = BestImplementations(problem, paths);
  std::vector<double> times;
  for (KernelIndex k = 0; k < problem.kernel_count(); ++k) {
    const KernelProblem& kernel = problem.kernels[k];
    times.push_back(kernel.implementations[best[k]].cost.DurationNs(
        SlowOperands(kernel, paths)));
  }
  return times;
}

double ObjectiveNs(const FlowProblem& problem, const Paths& paths) {
  MoveTimes times;
  times.beside_ns.resize(problem.kernels.size(), 0);
  for (size_t f = 0; f < problem.flows.size(); ++f) {
    PathWalk(problem, problem.flows[f], paths[f], times).Walk();
  }
  double ns = problem.constant_ns + times.synchronous_ns;
  const std::vector<double> kernel_ns = KernelTimes(problem, paths);
  for (size_t k = 0; k < kernel_ns.size(); ++k) {
    ns += std::max(kernel_ns[k], times.beside_ns[k]);
  }
  return ns;
}

std::vector<int64_t> HeldBytes(const FlowProblem& problem, const Paths& paths) {
  std::vector<int64_t> held(problem.kernels.size(), 0);
  for (size_t f = 0; f < problem.flows.size(); ++f) {
    const TensorFlow& flow = problem.flows[f];
    for (int i = 0; i < flow.use_count(); ++i) {
      const KernelIndex k = flow.uses[i].kernel;
      if (paths[f].fast[i]) Hold(problem, k, k, flow.bytes, held);
      if (flow.has_rest(i)) HoldRest(problem, flow, paths[f], i, held);
    }
  }
  return held;
}

std::vector<Residency> ResidenciesOf(const Graph& graph,
                                     const FlowProblem& problem,
                                     const Paths& paths) {
  std::vector<TakenPeriod> cuts;
  for (size_t f = 0; f < problem.flows.size(); ++f) {
    CutFlow(problem, problem.flows[f], paths[f], cuts);
  }
  CutUnused(graph, problem, cuts);
  return ResidenciesWithout(graph, std::move(cuts));
}

}  // namespace stowage::policies
