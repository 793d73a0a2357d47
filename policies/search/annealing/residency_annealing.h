// Improves the residencies of a whole plan by simulated annealing (Kirkpatrick,
// Gelatt, Vecchi, 1983). The simulator is the judge: it knows of lanes, waiting
// and kernels that run longer, which no rule that looks at one tensor sees.
//
//   ResidencyAnnealing annealing(graph, system, input.streams);
//   annealing.Begin(input, allowed_bytes);
//   BuildInput better = annealing.Run({.work = 1'000'000});
//
// Deterministic, unless a deadline ends it. Not thread-safe.
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_ANNEALING_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_ANNEALING_H_

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "absl/time/time.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/cancellation.h"
#include "policies/planning/plan_builder.h"
#include "policies/search/annealing/kernel_twins.h"
#include "policies/search/annealing/lost_time.h"
#include "policies/search/annealing/residency_judge.h"
#include "policies/search/annealing/residency_neighbour.h"
#include "policies/search/annealing/residency_places.h"
#include "timing/steady_now.h"

namespace stowage::policies {

struct AnnealingEffort {
  // The boundaries, copies and obstacles that may be looked at; a proposal
  // counts as some.
  int64_t work = 1'000'000;
  // The share of the step's time that a change may lose in the beginning. It
  // falls to nothing at the end of the first part of the work.
  double temperature = 1e-4;
  // The share of the work that is spent on heating parts of the step again.
  double reheating = 0;
  // No proposal is judged long after this.
  absl::Time deadline = absl::InfiniteFuture();
  Cancellation cancellation;

  bool IsOver() const {
    return SteadyNow() > deadline || cancellation.IsCancelled();
  }
};

// Keeps references to the graph and the system.
class ResidencyAnnealing {
 public:
  ResidencyAnnealing(const Graph& graph, const MemorySystem& system,
                     const std::vector<Stream>& streams, uint64_t seed = 1);

  // Begins with `input`, of which BuildPlan makes a plan, with the streams of
  // the constructor. `allowed_bytes` are as in ResidencyJudge.
  void Begin(BuildInput input, const std::vector<int64_t>& allowed_bytes);

  // The following calls come after Begin.

  // Keeps places from now on: all residencies have one in an arena, beginning
  // with those of the input, and nothing is accepted for which there is no
  // place.
  void KeepPlaces(int64_t arena_bytes);
  bool keeps_places() const { return places_.has_value(); }

  // Anneals, and returns the fastest input that it has seen since the last call
  // of Begin or Allow; its addresses hold where places are kept.
  BuildInput Run(const AnnealingEffort& effort);

  void Allow(const std::vector<int64_t>& allowed_bytes);

 private:
  // Tries changes anywhere, at a temperature that falls to nothing.
  void Cool(int64_t work, const AnnealingEffort& effort);
  // Tries, again and again, some changes in a row around a kernel at which time
  // is lost, at a temperature that is high for these few: improvements that
  // take several changes, of which the first ones lose time, are not found
  // otherwise. Undoes all of them if time is lost in the end. Half of the time
  // the changes begin with an imitation of a stretch that repeats the one
  // around the kernel and loses less.
  void Reheat(int64_t work, const AnnealingEffort& effort);
  void ReheatAround(KernelIndex kernel, const LostTime& lost);
  // Imitates such a stretch, at any cost.
  void ImitateTwins(KernelIndex kernel, const LostTime& lost);
  BuildInput Best() const;

  // Proposes and judges one change.
  void Try(double temperature_ns);
  // Proposes a change; returns false if there is nothing to judge.
  bool Propose();
  // Lets up to so many tensors give way to the proposal, if it holds more than
  // it may and than before; half of them in all of `span`, where nullopt means
  // that of the first residency of the proposal.
  void MakeRoom(int most_evictions, int64_t before_bytes,
                const std::optional<Span>& span);
  // Accepts the proposal, whose step takes `ns`.
  void Accept(double ns);
  double CostNs();
  int64_t Work() const;
  // Returns whether the proposal finds places, where they are kept.
  bool FindsPlaces(bool is_better);
  // Remembers the residencies of a tensor before all that is tried in a row.
  void RememberForUndo(TensorIndex t);
  void UndoAll();

  const Graph& graph_;
  const MemorySystem& system_;
  BuildInput input_;
  std::optional<ResidencyJudge> judge_;
  std::optional<ResidencyPlaces> places_;
  std::vector<TensorIndex> changed_;  // by the proposal
  ResidencyNeighbour neighbour_;
  const KernelTwins twins_;
  std::mt19937_64 random_;
  int64_t proposals_ = 0;
  double now_ns_ = 0;
  double best_ns_ = 0;
  bool is_undoable_ = false;
  std::vector<ResidencyChange> undo_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_ANNEALING_H_
