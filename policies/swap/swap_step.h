// Runs one step of a system that moves whole tensors as it runs. It knows where
// each tensor is, which copies are under way and until when, and which
// residencies in the fast tier result. It knows how to move, not when: see
// swap_system.h.
//
//   SwapStep step(facts, at_start, {});
//   for (KernelIndex k = 0; k < facts.kernel_count(); ++k) {
//     step.Reach(k);
//     for (TensorIndex t : facts.workload.staged[k]) step.Provide(t);
//     step.RunKernel();
//   }
//   PlacementDecision decision = step.Finish(step.AtEnd());
//
// Times are estimates for decisions. They are made as the simulator makes them:
// a copy waits for the lane of its direction. The simulator has the last word.
#ifndef STOWAGE_POLICIES_SWAP_SWAP_STEP_H_
#define STOWAGE_POLICIES_SWAP_SWAP_STEP_H_

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "policies/planning/plan_policy.h"
#include "policies/swap/step_facts.h"

namespace stowage::policies {

// Follows movable tensors only. Not thread-safe; for one step. It keeps a
// reference to `facts`.
class SwapStep {
 public:
  enum class State { kSlow, kComing, kFast, kGoing };

  // Begins with `at_start` in the fast tier. `first_slow_tier` is as in
  // BuildInput; a tensor goes to the first tier from there on that has room.
  SwapStep(const StepFacts& facts, const std::set<TensorIndex>& at_start,
           const std::vector<TierIndex>& first_slow_tier);

  // Goes on to boundary `b`: frees tensors that have died, and ends copies that
  // are complete.
  void Reach(KernelIndex b);
  // Let time pass as the kernel at this boundary runs: with all its operands in
  // the fast tier, or with each operand where it is.
  void RunKernel();
  void RunKernelInPlace();
  // Waits for all copies and ends the step with exactly `keep` in the fast
  // tier. Call it at boundary K.
  PlacementDecision Finish(const std::set<TensorIndex>& keep);

  // Brings the tensor into the fast tier for the kernel at this boundary, and
  // waits for copies as needed. A tensor that is born here is born fast.
  void Provide(TensorIndex t);
  // Brings the tensor out of the fast tier, and waits for copies as needed.
  void Expel(TensorIndex t);
  // Start a copy from, and to, the slower tier. The tensor must be kSlow, and
  // kFast respectively, and in use later within its life.
  void BeginIn(TensorIndex t);
  void BeginOut(TensorIndex t);
  // Waits until the tensor's copy, if there is one, has ended.
  void Await(TensorIndex t);

  State state(TensorIndex t) const { return tensors_[t].state; }
  int64_t now_ns() const { return now_ns_; }
  KernelIndex boundary() const { return boundary_; }
  // Returns the kernel of the last use before, or the boundary of arrival; -1
  // at the start.
  KernelIndex last_touch(TensorIndex t) const { return tensors_[t].touched; }
  // Returns a number that grows with each arrival in the fast tier.
  int64_t arrival(TensorIndex t) const { return tensors_[t].arrival; }
  const std::set<TensorIndex>& fast() const { return fast_; }
  const std::set<TensorIndex>& coming() const { return coming_; }
  const std::set<TensorIndex>& going() const { return going_; }
  // Returns when the copy of a tensor that is under way ends.
  int64_t copied_ns(TensorIndex t) const { return tensors_[t].copied_ns; }
  // Returns the bytes held by tensors that are fast, coming or going.
  int64_t held_bytes() const { return held_bytes_; }
  // Returns the most bytes that will be held at boundaries begin .. end-1 if
  // nothing moves but the operands of kernels, each at its kernel.
  int64_t ProjectedPeakBytes(KernelIndex begin, KernelIndex end) const;

  // Returns the tensors that are in the fast tier once all copies have ended.
  std::set<TensorIndex> AtEnd() const;

 private:
  struct TensorState {
    State state = State::kSlow;
    bool present = false;  // born, or alive since before the step
    bool moved_in = false;
    KernelIndex begin = 0;  // of its residency in the fast tier
    KernelIndex ready = 0;
    KernelIndex leave = 0;
    int64_t copied_ns = 0;  // when its copy ends
    KernelIndex touched = -1;
    int64_t arrival = 0;
    TierIndex home = kFastTier;  // kFastTier: none yet
  };

  void PassTime(int64_t kernel_ns);
  void Enter(TensorIndex t, bool moved_in);
  void Arrive(TensorIndex t);
  void Depart(TensorIndex t, bool moved_out);
  void Free(TensorIndex t);
  void ChooseHome(TensorIndex t, TierIndex first);
  int64_t Copy(TierIndex from, TierIndex to, TensorIndex t);
  void Project(TensorIndex t, KernelIndex begin, int64_t bytes);

  const StepFacts& facts_;
  const std::vector<TierIndex> first_slow_tier_;
  std::vector<TensorState> tensors_;
  std::set<TensorIndex> fast_, coming_, going_;
  std::vector<int64_t> projected_bytes_;  // by boundary
  std::vector<TierIndex> homes_;          // by tensor, for the builder
  std::vector<int64_t> home_bytes_;       // by tier
  std::map<std::pair<TierIndex, TierIndex>, int64_t> lanes_;  // free from, ns
  KernelIndex boundary_ = 0;
  int64_t now_ns_ = 0;
  int64_t held_bytes_ = 0;
  int64_t arrivals_ = 0;
  std::vector<Residency> residencies_;
};

// Returns what a step of the steady state has in the fast tier as it begins.
// `at_end(at_start)` runs a step and returns what is fast as it ends. Tensors
// that a step would not keep to its end are dropped from its start until both
// agree, so the last call is with the set that is returned.
std::set<TensorIndex> SteadyStart(
    absl::FunctionRef<std::set<TensorIndex>(const std::set<TensorIndex>&)>
        at_end);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SWAP_SWAP_STEP_H_
