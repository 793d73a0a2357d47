// What AutoTM optimises: the flows of all tensors, what kernels cost in each
// configuration, and how much may be fast at each kernel.
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

// Use `use` of flow `flow`.
struct UseRef {
  int flow = 0;
  int use = 0;
};

// One way to run a kernel (7.1.4).
struct Implementation {
  KernelConfigurations cost;  // parallel to KernelProblem::uses
  // What its workspace takes beyond the kernel's smallest.
  int64_t extra_bytes = 0;
};

struct KernelProblem {
  std::vector<UseRef> uses;  // tensors that are operands or are born here
  std::vector<Implementation> implementations;  // numbered as in the graph
  // For all movable tensors and the extra bytes of the implementation.
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
  // The kernel of this step that an unrolled kernel is, or kernel_count() for
  // the boundary that ends the step.
  KernelIndex Roll(KernelIndex unrolled) const {
    return unrolled % (kernel_count() + 1);
  }
  // Whether the step ends in the rest after use `i`. A plan keeps nothing for a
  // drop from one step to the next.
  bool CrossesEnd(const TensorFlow& flow, int i) const {
    return flow.uses[i].kernel <= kernel_count() &&
           flow.last_rest(i) >= kernel_count();
  }
};

// `workload` is the one of the smallest implementations.
FlowProblem MakeFlowProblem(const Graph& graph, const MemorySystem& system,
                            const Workload& workload, const FlowRules& rules);

// Step time of `paths`: the kernels in their configurations, each prolonged to
// the copies beside it, and the synchronous copies.
double ObjectiveNs(const FlowProblem& problem, const Paths& paths);

// By kernel: the fastest implementation for which `paths` leave room, the one
// with the smallest workspace where there is room for none. Nothing else
// depends on which it is, so this is the best choice for these paths.
std::vector<int32_t> BestImplementations(const FlowProblem& problem,
                                         const Paths& paths);

// How long each kernel runs by itself, in its best implementation.
std::vector<double> KernelTimes(const FlowProblem& problem, const Paths& paths);

// Bytes of movable tensors in the fast tier at each kernel, copies under way
// included.
std::vector<int64_t> HeldBytes(const FlowProblem& problem, const Paths& paths);

// Those of the best implementations that are not number 0.
std::vector<ImplementationChoice> ChoicesOf(const FlowProblem& problem,
                                            const Paths& paths);

// The residencies in the fast tier that `paths` make, immovable tensors
// included, as BuildPlan takes them.
std::vector<Residency> ResidenciesOf(const Graph& graph,
                                     const FlowProblem& problem,
                                     const Paths& paths);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AUTOTM_FLOW_PROBLEM_H_
