// How long a step takes with given residencies in the fast tier, followed as
// they change: what a change cannot reach is not simulated again. Says what the
// simulator says of SketchPlan with drops, without addresses.
//
//   ResidencyJudge judge(graph, system, input, allowed_bytes);
//   judge.Replace({.tensor = 3, .residencies = {}});  // and others
//   const int64_t before_ns = judge.step_ns();
//   if (judge.Judge().step_ns <= before_ns) judge.Accept(); else judge.Reject();
//
// Keeps references to the graph and the system. Not thread-safe.
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_JUDGE_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_JUDGE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/drops.h"
#include "policies/planning/plan_builder.h"
#include "policies/search/absences/occupancy.h"
#include "policies/search/annealing/residency_neighbour.h"

namespace stowage::policies {

class ResidencyJudge {
 public:
  struct Judgement {
    // The greatest value there is if an operand is somewhere it cannot be used.
    int64_t step_ns = 0;
    // The most that is held of the fast tier beyond what is allowed; negative
    // where less is held everywhere.
    int64_t excess_bytes = 0;
  };

  // `input` is one that BuildPlan makes a plan of. `allowed_bytes`: for
  // residencies, by boundary, K + 1 values.
  ResidencyJudge(const Graph& graph, const MemorySystem& system,
                 const BuildInput& input,
                 const std::vector<int64_t>& allowed_bytes);

  // From now on `allowed_bytes` are allowed.
  void Allow(const std::vector<int64_t>& allowed_bytes);

  // By tensor, with what was proposed.
  const ResidenciesByTensor& residencies() const { return residencies_; }

  // Proposes other residencies, valid ones, for a tensor; each tensor at most
  // once until all that was proposed is accepted or rejected.
  void Replace(ResidencyChange change);

  // The residencies that a tensor has if what is proposed is rejected.
  const std::vector<Residency>& AcceptedResidencies(TensorIndex t) const;

  // Takes over the offsets of residencies that are otherwise the same.
  void SetOffsets(TensorIndex t, const std::vector<Residency>& residencies);

  // Of the proposal, as in Judgement, and a boundary at which it is.
  int64_t excess_bytes() const { return excess_.Highest(); }
  KernelIndex excess_boundary() const { return excess_.HighestBoundary(); }

  // Judges the proposal. O(kernels) at most, most often much less.
  Judgement Judge();

  // After Judge().
  void Accept();
  void Reject();

  // Remembers what was accepted so far; O(1).
  void Mark();
  // The residencies that were remembered last.
  ResidenciesByTensor Marked() const;

  // Returns the step of what was accepted.
  int64_t step_ns() const { return step_ns_; }

  // Boundaries and copies that were looked at so far.
  int64_t work() const { return work_; }

  // By kernel, of what was accepted: what it waits, and takes longer than with
  // everything fast; the last one with what the end of the step waits.
  std::vector<int64_t> LostNs() const;

 private:
  struct Copy {
    TensorIndex tensor = 0;
    int lane = 0;
    KernelIndex start = 0;
    KernelIndex deadline = 0;
    int64_t duration_ns = 0;
    int64_t end_ns = 0;
    int64_t proposed_end_ns = 0;
    bool is_new = false;  // added by what is proposed

    bool synchronous() const { return start == deadline; }
    bool to_fast() const { return lane % 2 == 1; }
  };
  struct KernelUse {
    bool streamed = false;
    KernelIndex kernel = 0;
  };
  // What Reject restores.
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
  // In a tier in which it can be used as `residencies` want it, if there is
  // one.
  void ChooseHome(TensorIndex t);
  std::vector<Copy> CopiesFor(TensorIndex t) const;
  // Replaces those that differ from what the residencies of a tensor want.
  void ReplaceCopies(TensorIndex t, Undo& undo);
  int AddCopy(const Copy& copy);
  void Unlist(int id);
  void List(int id);
  void Hold(TensorIndex t, const std::vector<Residency>& residencies, int sign);
  TierIndex TierAt(TensorIndex t, KernelIndex k) const;
  int64_t KernelNs(KernelIndex k) const;
  int64_t StreamNs(KernelIndex k) const;
  void NoteChange(KernelIndex boundary);
  // Simulates from boundary `first_` to the one from which on all is as before
  // but for a constant.
  void Simulate();
  bool HasConverged(KernelIndex b, const int64_t* state) const;
  // Whether no copy that was added or removed is under way or waited for.
  bool ChangesHaveEnded(KernelIndex b, int64_t now_ns) const;
  int64_t* StateAt(std::vector<int64_t>& states, KernelIndex b) const {
    return states.data() + static_cast<size_t>(b) * (lane_count_ + 1);
  }
  const int64_t* StateAt(const std::vector<int64_t>& states,
                         KernelIndex b) const {
    return states.data() + static_cast<size_t>(b) * (lane_count_ + 1);
  }
  // Whether copy `a` is issued before `b` at one boundary, as in SortMoves.
  static bool IsBefore(const Copy& a, const Copy& b);
  void Clear();
  // The residencies that a tensor had, when the mark was made if it did not
  // change since.
  void NoteSinceMark(TensorIndex t, std::vector<Residency> residencies);

  const Graph& graph_;
  const MemorySystem& system_;
  const KernelIndex kernels_;
  const int lane_count_;  // two for each slower tier
  const DropRule drops_;
  std::vector<KernelProfile> profiles_;       // complete
  std::vector<std::vector<KernelUse>> uses_;  // by tensor, ascending
  // By kernel and operand, whether it is streamed where it is not fast; empty:
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
  Occupancy excess_;                // what is held less what is allowed
  std::vector<int64_t> kernel_ns_;  // by kernel
  // Before each boundary: the time, and when each lane is free.
  std::vector<int64_t> states_;
  int64_t step_ns_ = 0;
  int64_t work_ = 0;

  // Residencies of the mark that differ from what was accepted since, and by
  // tensor the mark since when it is among them.
  std::vector<ResidencyChange> since_mark_;
  std::vector<int64_t> changed_since_;
  int64_t mark_ = 1;

  // Of what is proposed: boundaries from `first_` to `converged_` - 1 have new
  // states, those from there on are `shift_ns_` later.
  std::vector<Undo> undo_;
  std::vector<std::pair<KernelIndex, int64_t>> undo_kernel_ns_;
  std::vector<int64_t> proposed_states_;
  std::vector<int64_t> free_ns_;  // by lane, while it is simulated
  KernelIndex first_ = 0;
  KernelIndex last_ = 0;
  KernelIndex converged_ = 0;
  int64_t shift_ns_ = 0;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_JUDGE_H_
