// States what AutoTM optimises: the flows of all tensors, what kernels cost in
// each configuration, and how much may be fast at each kernel.
//
//   FlowProblem problem = MakeFlowProblem(graph, system, workload, {});
//   double step_ns = ObjectiveNs(problem, paths);      // equations 2 and 7
//   std::vector<int64_t> held = HeldBytes(problem, paths);  // equation 5
//
// Plain data; pure functions.
#ifndef STOWAGE_POLICIES_AUTOTM_FLOW_PROBLEM_H_
#define STOWAGE_POLICIES_AUTOTM_FLOW_PROBLEM_H_

#include <cstdint>
#include <vector>

#include "policies/autotm/kernel_configuration.h"
#include "policies/autotm/tensor_flow.h"
#include "policies/model/implementations.h"
#include "policies/planning/plan_builder.h"

namespace stowage::policies {

enum class Movement {
  kStatic,        // a tensor stays where it is born (figure 6a)
  kSynchronous,   // moves stop execution (figure 6b)
  kAsynchronous,  // moves may also run beside one kernel (section 7.1)
};

struct FlowRules {
  Movement movement = Movement::kSynchronous;
  // A tensor that was fetched in this step and not written since leaves for
  // free (3.6).
  bool write_back_once = true;
};

// Refers to use `use` of flow `flow`.
struct UseRef {
  int flow = 0;
  int use = 0;
};

// Describes one way to run a kernel (7.1.4).
struct Implementation {
  KernelConfigurations cost;  // parallel to KernelProblem::uses
  // The bytes of its workspace beyond those of the kernel's smallest one.
  int64_t extra_bytes = 0;
};

struct KernelProblem {
  std::vector<UseRef> uses;  // tensors that are operands or are born here
  std::vector<Implementation> implementations;  // numbered as in the graph
  // The room for all movable tensors and the extra bytes of the implementation.
  int64_t limit_bytes = 0;
};

struct FlowProblem {
  FlowRules rules;
  std::vector<TensorFlow> flows;
  std::vector<KernelProblem> kernels;
  double constant_ns = 0;  // gaps between kernels, streaming

  KernelIndex kernel_count() const {
    return static_cast<KernelIndex>(kernels.size());
  }
  // Returns the kernel of this step that an unrolled kernel is, or
  // kernel_count() for the boundary that ends the step.
  KernelIndex Roll(KernelIndex unrolled) const {
    return unrolled % (kernel_count() + 1);
  }
  // Returns whether the step ends in the rest after use `i`. A plan keeps
  // nothing for a drop from one step to the next.
  bool CrossesEnd(const TensorFlow& flow, int i) const {
    return flow.uses[i].kernel <= kernel_count() &&
           flow.last_rest(i) >= kernel_count();
  }
};

// Makes the problem. `workload` is the one of the smallest implementations.
FlowProblem MakeFlowProblem(const Graph& graph, const MemorySystem& system,
                            const Workload& workload, const FlowRules& rules);

// Returns the step time of `paths`: the kernels in their configurations, each
// prolonged to the copies beside it, and the synchronous copies.
double ObjectiveNs(const FlowProblem& problem, const Paths& paths);

// Returns by kernel the fastest implementation for which `paths` leave room, or
// the one with the smallest workspace if there is room for none. Nothing else
// depends on the choice, so it is the best one for these paths.
std::vector<int32_t> BestImplementations(const FlowProblem& problem,
                                         const Paths& paths);

// Returns how long each kernel runs by itself, in its best implementation.
std::vector<double> KernelTimes(const FlowProblem& problem, const Paths& paths);

// Returns the bytes of movable tensors in the fast tier at each kernel, copies
// under way included.
std::vector<int64_t> HeldBytes(const FlowProblem& problem, const Paths& paths);

// Returns the best implementations that are not number 0.
std::vector<ImplementationChoice> ChoicesOf(const FlowProblem& problem,
                                            const Paths& paths);

// Returns the residencies in the fast tier that `paths` make, immovable tensors
// included, as BuildPlan takes them.
std::vector<Residency> ResidenciesOf(const Graph& graph,
                                     const FlowProblem& problem,
                                     const Paths& paths);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AUTOTM_FLOW_PROBLEM_H_
