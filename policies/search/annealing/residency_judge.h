// Says how long a step takes with given residencies in the fast tier, and
// follows their changes: it does not simulate again what a change cannot reach.
// The simulator says the same of SketchPlan with drops, without addresses.
//
//   ResidencyJudge judge(graph, system, input, allowed_bytes);
//   judge.Replace({.tensor = 3, .residencies = {}});  // and others
//   const int64_t before_ns = judge.step_ns();
//   if (judge.Judge().step_ns <= before_ns) judge.Accept();
//   else judge.Reject();
//
// Keeps references to the graph and the system. Not thread-safe.
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_JUDGE_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_JUDGE_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/drops.h"
#include "policies/planning/plan_builder.h"
#include "policies/search/absences/occupancy.h"
#include "policies/search/annealing/residency_neighbour.h"
#include "policies/simulate/interference.h"
#include "policies/simulate/lane_clocks.h"

namespace stowage::policies {

class ResidencyJudge {
 public:
  struct Judgement {
    // The greatest value there is if an operand is somewhere it cannot be used.
    int64_t step_ns = 0;
    // The most bytes of the fast tier that are held beyond the allowed ones;
    // negative if less is held everywhere.
    int64_t excess_bytes = 0;
  };

  // Begins with `input`, of which BuildPlan makes a plan. `allowed_bytes` are
  // for residencies, K + 1 values by boundary.
  ResidencyJudge(const Graph& graph, const MemorySystem& system,
                 const BuildInput& input,
                 const std::vector<int64_t>& allowed_bytes);

  // Allows `allowed_bytes` from now on.
  void Allow(const std::vector<int64_t>& allowed_bytes);

  // Returns the residencies by tensor, with the proposed ones.
  const ResidenciesByTensor& residencies() const { return residencies_; }

  // Proposes other residencies, valid ones, for a tensor; each tensor at most
  // once until all that was proposed is accepted or rejected.
  void Replace(ResidencyChange change);

  // Returns the residencies that a tensor has if the proposal is rejected.
  const std::vector<Residency>& AcceptedResidencies(TensorIndex t) const;

  // Takes over the offsets of residencies that are otherwise the same.
  void SetOffsets(TensorIndex t, const std::vector<Residency>& residencies);

  // Returns the excess of the proposal, as in Judgement, and a boundary that
  // has it.
  int64_t excess_bytes() const { return excess_.Highest(); }
  KernelIndex excess_boundary() const { return excess_.HighestBoundary(); }

  // Judges the proposal. O(kernels) at most, most often much less.
  Judgement Judge();

  // Accept or reject the proposal. Call them after Judge().
  void Accept();
  void Reject();

  // Remembers what was accepted so far; O(1).
  void Mark();
  // Returns the residencies that were remembered last.
  ResidenciesByTensor Marked() const;

  // Returns the step of what was accepted.
  int64_t step_ns() const { return step_ns_; }

  // Returns how many boundaries and copies were looked at so far.
  int64_t work() const { return work_; }

  // Returns by kernel what it waits, as accepted, and how much longer it takes
  // than with everything fast. The last kernel includes what the end of the
  // step waits.
  std::vector<int64_t> LostNs() const;

 private:
  struct Copy {
    TensorIndex tensor = 0;
    int lane = 0;
    KernelIndex start = 0;
    KernelIndex deadline = 0;
    int64_t duration_ns = 0;
    int64_t end_mark_ns = 0;  // of its lane's clock (lane_clocks.h)
    int64_t proposed_end_mark_ns = 0;
    bool is_new = false;  // added by the proposal

    bool synchronous() const { return start == deadline; }
    bool to_fast() const { return lane % 2 == 1; }
  };
  struct KernelUse {
    bool streamed = false;
    KernelIndex kernel = 0;
  };
  // Holds what Reject restores.
  struct Undo {
    TensorIndex tensor = 0;
    std::vector<Residency> residencies;
    std::vector<int> copies;
    std::vector<int> removed;  // of these
    std::vector<int> added;    // to those that stayed
    TierIndex home = 0;
    bool unusable = false;
  };

  void FindUses(const std::vector<Stream>& streams);
  void FindCopyDurations();
  // Puts the tensor in a tier in which it can be used as `residencies` want it,
  // if there is one.
  void ChooseHome(TensorIndex t);
  std::vector<Copy> CopiesFor(TensorIndex t) const;
  // Replaces the copies that differ from those that the tensor's residencies
  // want.
  void ReplaceCopies(TensorIndex t, Undo& undo);
  int AddCopy(const Copy& copy);
  void Unlist(int id);
  void List(int id);
  void Hold(TensorIndex t, const std::vector<Residency>& residencies, int sign);
  TierIndex TierAt(TensorIndex t, KernelIndex k) const;
  int64_t KernelNs(KernelIndex k) const;
  int64_t WaitForStreamsNs(KernelIndex k) const;
  void NoteChange(KernelIndex boundary);
  // Simulates from boundary `first_` to the one from which on everything is as
  // before but for a constant.
  void Simulate();
  bool HasConverged(KernelIndex b, const int64_t* state) const;
  // Returns whether no copy that was added or removed is under way or waited
  // for.
  bool ChangesHaveEnded(KernelIndex b, const int64_t* state) const;
  int64_t* StateAt(std::vector<int64_t>& states, KernelIndex b) const {
    return states.data() + static_cast<size_t>(b) * state_size();
  }
  const int64_t* StateAt(const std::vector<int64_t>& states,
                         KernelIndex b) const {
    return states.data() + static_cast<size_t>(b) * state_size();
  }
  // Of a state before a boundary: the time, then the state of the lanes.
  size_t state_size() const { return 1 + clocks_.state_size(); }
  LaneClocks::ConstState LanesOf(const int64_t* state) const {
    return {state + 1, clocks_.state_size()};
  }
  // Returns what the clock of a lane shows in a state.
  int64_t ClockNs(int lane, const int64_t* state) const {
    return clocks_.ClockNs(lane, state[0], LanesOf(state));
  }
  bool HasSameLag(int lane, const int64_t* a, const int64_t* b) const {
    return a[0] - ClockNs(lane, a) == b[0] - ClockNs(lane, b);
  }
  // Returns what is left of a lane's work.
  int64_t BacklogNs(int lane, const int64_t* state) const {
    return std::max<int64_t>(0, state[lane + 1] - ClockNs(lane, state));
  }
  // Returns whether copy `a` is issued before `b` at one boundary, as in
  // SortMoves.
  static bool IsBefore(const Copy& a, const Copy& b);
  void Clear();
  // Notes the residencies that a tensor had as the mark was made, if it has not
  // changed since.
  void NoteSinceMark(TensorIndex t, std::vector<Residency> residencies);

  const Graph& graph_;
  const MemorySystem& system_;
  const KernelIndex kernels_;
  const int lane_count_;  // two for each slower tier
  const DropRule drops_;
  const Interference interference_;
  const LaneClocks clocks_;
  std::vector<KernelProfile> profiles_;       // complete
  std::vector<std::vector<KernelUse>> uses_;  // by tensor, ascending
  // By kernel and operand: whether it is streamed if it is not fast; empty:
  // none is.
  std::vector<std::vector<bool>> streamed_;
  std::vector<int64_t> copy_ns_;       // by tensor and lane
  std::vector<TierIndex> first_home_;  // by tensor

  ResidenciesByTensor residencies_;
  std::vector<TierIndex> home_;  // by tensor, the slower tier
  std::vector<bool> unusable_;   // by tensor, there
  int unusable_count_ = 0;
  std::vector<std::vector<int>> copies_of_;  // by tensor
  std::vector<Copy> copies_;
  std::vector<int> free_copies_;
  std::vector<std::vector<int>> starts_;     // by boundary, as issued
  std::vector<std::vector<int>> deadlines_;  // by boundary, asynchronous
  std::vector<int64_t> allowed_bytes_;       // by boundary
  Occupancy excess_;                         // bytes held less those allowed
  std::vector<int64_t> kernel_ns_;           // by kernel
  // By boundary, as LanesOf() has them.
  std::vector<int64_t> states_;
  int64_t step_ns_ = 0;
  int64_t work_ = 0;

  // Residencies of the mark that differ from those accepted since, and by
  // tensor since which mark it is among them.
  std::vector<ResidencyChange> since_mark_;
  std::vector<int64_t> changed_since_;
  int64_t mark_ = 1;

  // State of the proposal: boundaries from `first_` to `converged_` - 1 have
  // new states, those from there on are `shift_ns_` later.
  std::vector<Undo> undo_;
  std::vector<std::pair<KernelIndex, int64_t>> undo_kernel_ns_;
  std::vector<int64_t> proposed_states_;
  std::vector<int64_t> lanes_;    // their state, while it is simulated
  std::vector<int64_t> free_ns_;  // by lane
  KernelIndex first_ = 0;
  KernelIndex last_ = 0;
  KernelIndex converged_ = 0;
  int64_t shift_ns_ = 0;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_JUDGE_H_
