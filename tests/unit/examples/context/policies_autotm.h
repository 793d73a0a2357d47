// Declares the names that the examples of policies/autotm use. A program of its
// own has them: its function Search() and the class of policies/search share a
// name.
//
//   namespace stowage::policies::examples { extern Graph graph; }
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_POLICIES_AUTOTM_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_POLICIES_AUTOTM_H_

namespace stowage::policies::examples {

extern Graph graph;
extern MemorySystem system;
extern Workload workload;

namespace policies_autotm {
extern Graph profiled_graph, next_graph;
extern FlowProblem problem;
extern Formulation formulation;
extern TensorFlow flow;
extern Paths paths;
extern Solver& solver;
extern SolveOptions options;
extern int rest;
namespace kernel_configuration_h {
extern KernelIndex k;
extern std::vector<TensorIndex> tensors;
}  // namespace kernel_configuration_h
namespace search_h {
extern FlowRules rules;
extern SearchSettings settings;
}  // namespace search_h
}  // namespace policies_autotm

}  // namespace stowage::policies::examples

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_POLICIES_AUTOTM_H_
