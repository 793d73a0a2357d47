// Writes AutoTM's integer program of a flow problem, and finds the way back
// from its solution to paths.
//
//   Formulation formulation(problem);
//   Solution solution = solver.Solve(formulation.program(), options);
//   Paths paths = formulation.PathsOf(solution.values);
//
// Columns are the nodes and edges of every tensor's network. Edges that flow
// conservation determines are eliminated. With F(i) = 1 where use i finds its
// tensor fast and R(i) = 1 where it rests fast until the next use, the edge out
// of the fast tier after use i is F(i) - R(i), and the edge into it before the
// next use is F(i+1) - R(i). Costs are in microseconds, room is in MiB.
#ifndef STOWAGE_POLICIES_AUTOTM_FORMULATION_H_
#define STOWAGE_POLICIES_AUTOTM_FORMULATION_H_

#include <vector>

#include "policies/autotm/flow_problem.h"
#include "policies/solver/linear_program.h"

namespace stowage::policies {

// Not thread-safe while it is built. It keeps a reference to the problem.
class Formulation {
 public:
  explicit Formulation(const FlowProblem& problem);

  const LinearProgram& program() const { return program_; }

  // Returns the paths that `values` describe. Fractions count as slow, which
  // keeps the room of every kernel, so any solution of the relaxation gives
  // paths that can be executed.
  Paths PathsOf(const std::vector<double>& values) const;

  // Returns the solution that describes `paths`; the inverse of PathsOf.
  std::vector<double> ValuesOf(const Paths& paths) const;

 private:
  // Describes a copy beside kernel `kernel` (unrolled).
  struct Overlap {
    KernelIndex kernel = 0;
    int column = 0;
  };
  struct RestColumns {
    int fast = -1;   // R
    int stale = -1;  // R, with the copy in the slower tier stale
    std::vector<Overlap> out, in;
  };
  struct FlowColumns {
    std::vector<int> fast;  // F, by use
    std::vector<RestColumns> rests;
  };
  struct ImplementationColumns {
    int chosen = -1;  // v, 7.1.4; -1: the kernel has no choice
    // One-hot, eq. 6 and 10; empty if the duration is a sum over operands.
    std::vector<int> configurations;
    // If the duration is a sum and there is a choice, by operand: whether it is
    // fast while this implementation runs; -1 if its place makes no difference.
    std::vector<int> fast;
  };
  struct KernelColumns {
    std::vector<ImplementationColumns> implementations;
    double constant_us = 0;  // with the terms, how long it runs
    std::vector<Term> duration_us;
    int excess = -1;   // by how much copies beside exceed it, eq. 7
    int resting = -1;  // bytes that rest fast, eq. 5
  };

  void AddFlow(int f);
  void AddStaticFlow(int f);
  void AddUses(int f);
  void AddRest(int f, int i);
  void AddOverlaps(const TensorFlow& flow, int i, RestColumns& rest);
  void ConserveFlow(int f, int i);
  void PriceMoves(int f, int i);
  int StaleAfter(int f, int i) const;
  bool Writes(const TensorFlow& flow, int i) const;
  void AddResting(KernelIndex first, KernelIndex last, int column,
                  double amount);
  void AddKernel(KernelIndex k);
  void AddDuration(KernelIndex k);
  void AddImplementation(KernelIndex k, int i, std::vector<Row>& operands);
  void AddListed(KernelIndex k, int i, std::vector<Row>& operands);
  void AddSum(KernelIndex k, int i, std::vector<Row>& operands);
  void AddOnlySum(KernelIndex k);
  void AddExcess(KernelIndex k);
  void AddCapacity(KernelIndex k);

  Rest RestOf(int f, int i, const std::vector<double>& values) const;
  void FillFlow(int f, const TensorPath& path,
                std::vector<double>& values) const;
  void FillImplementation(KernelIndex k, int i, const std::vector<bool>& slow,
                          std::vector<double>& values) const;
  void FillKernels(const Paths& paths, std::vector<double>& values) const;

  const FlowProblem& problem_;
  LinearProgram program_;
  std::vector<FlowColumns> flows_;
  std::vector<KernelColumns> kernels_;
  // By kernel: the tensors that begin and stop resting fast as it begins, and
  // the copies that run beside it.
  std::vector<std::vector<Term>> resting_;
  std::vector<std::vector<Term>> beside_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AUTOTM_FORMULATION_H_
