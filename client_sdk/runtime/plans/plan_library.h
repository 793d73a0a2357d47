// The plans that a job has been given, and what it remembers of the kinds of
// step that they are for.
//
//   PlanLibrary plans;
//   plans.Add(*std::move(plan));
//   plans.EndStep(signature);                  // of the step that has ended
//   const PlanTable* plan = plans.Expected();  // for the one that begins
//   if (plan != nullptr && plans.Tries(*plan, step)) Start(*plan);
//   plan = plans.FindPassing(position);        // it is of another kind
//   plans.NoteDuration(signature, Driver::kPlan, duration_ns);
//
// A kind of step is known by its signature: the kernels and the sizes of what
// they allocate, in order. A step's signature is known when it ends, but its
// plan is needed when it begins. So the library expects what followed when
// steps came in the same turn before (kind_forecast.h); a job whose kinds
// alternate is planned as well as one that has a single kind. Where the
// expectation was wrong (sequences of several lengths, the first evaluation),
// the first kernel or allocation that differs shows of which other kind the
// step may be.
//
// Invariants:
//  * A kind is profiled once, or once more for each time that its plan is
//    forgotten or that the limit has changed, and at most kMaxKinds are: a job
//    whose steps are never the same does not profile forever.
//  * A plan that was left in kMaxSurprises steps in a row is tried rarely from
//    then on, until a step follows it to its end or another plan takes its
//    place; or until a step is of its kind, if these all were of other kinds.
//    If they all were of its own, it is stale: the caller has it made anew.
//  * A plan is compared with demand mode from its first step on. One that
//    places everything where the last one did is the same plan.
//  * A step that followed its plan is profiled again ever more rarely, and so
//    is a plan forgotten that does not fit any more: what a job settles into
//    stays.
//  * A `const PlanTable*` is good until its kind is forgotten. Add() with the
//    same signature changes what it points to.
//
// Pure: it reads no clock and no shared memory. The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLANS_PLAN_LIBRARY_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLANS_PLAN_LIBRARY_H_

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "client_sdk/runtime/plans/kind_forecast.h"
#include "client_sdk/runtime/plans/mode_choice.h"
#include "client_sdk/runtime/plans/plan_table.h"

namespace stowage::runtime {

class PlanLibrary {
 public:
  using Origins = std::unordered_map<uint64_t, uint64_t>;

  static constexpr int kMaxKinds = 10;  // Sentinel's bound on buckets
  // So many are profiled when they are seen first, more the second time: the
  // batches of an evaluation may all have another length.
  static constexpr int kKindsAtFirstSight = 4;
  static constexpr int kMaxSurprises = 3;
  static constexpr int kRetryEverySteps = 16;
  static constexpr int kServedSteps = 4;  // that made another plan worth it
  // So many steps after a plan's first one, it is judged by another profile.
  static constexpr int64_t kFirstProfileAgain = 2;

  // Adds the plan in place of the one for the same kind of step.
  void Add(PlanTable plan);

  // Notes that a step of this kind has ended.
  void EndStep(uint64_t signature);
  // Returns the plan of the kind of step that is expected next, or null. After
  // a kind that is new, and where steps come in no order and the expected kind
  // has no plan, that is the same kind, or the last that followed a plan.
  const PlanTable* Expected() const;
  // Returns a plan whose steps pass that position, or null.
  const PlanTable* FindPassing(const StepPosition& position) const;
  // Returns the plan of the kind of step with this signature, or null.
  const PlanTable* Find(uint64_t signature) const;
  // Returns whether step number `step` can be driven by the plan, as far as
  // surprises go.
  bool Tries(const PlanTable& plan, int64_t step) const;
  // Returns whether steps of its own kind have left the plan so often in a row
  // that it should be made anew: tensors may have come from elsewhere since.
  bool IsStale(const PlanTable& plan) const;
  // Returns the choice between the plan and demand mode for steps of its kind.
  const ModeChoice& Choice(const PlanTable& plan) const;
  // Takes in that a step of this kind took `duration_ns`. Without a driver the
  // step was disturbed and tells nothing of either. Leaves out kinds that were
  // never profiled.
  void NoteDuration(uint64_t signature, std::optional<Driver> driver,
                    int64_t duration_ns);

  // Notes that a step left the plan, or could not begin under it; or that it was
  // of another kind, which is no fault of the plan.
  void NoteSurprise(const PlanTable& plan);
  void NoteOtherKind(const PlanTable& plan);
  // Notes that a step followed the plan to its end, and that the limit is
  // `limit_bytes` now. Returns true if the step is one whose profile may be
  // better than the one that the plan was made from, or if the limit has
  // changed since; the caller calls NoteProfiledAgain() once that has been
  // published.
  bool NoteFollowed(const PlanTable& plan, int64_t limit_bytes);
  void NoteProfiledAgain(const PlanTable& plan);

  // Returns whether a profile of this kind, a step of which has just ended, has
  // yet to be published: for the first time, because there was no plan and the
  // limit, `limit_bytes` now, has grown, or because it has shrunk.
  bool WantsProfile(uint64_t signature, int64_t limit_bytes) const;
  // Notes that one has been, under that limit. It had blocks of these origins
  // (block_origins.h), by their ids, by which its plan will know them.
  void NoteProfiled(uint64_t signature, int64_t limit_bytes,
                    const Origins& origins = {});

  // Notes that the plan does not fit any more, or is stale. Returns true if it is
  // forgotten, so that the kind is profiled and planned anew: if it has served
  // kServedSteps, else for the 1st, 2nd, 4th, 8th, … time that this is said of a
  // kind.
  bool ForgetOutgrown(const PlanTable& plan);
  // Forgets the plan, so that its kind is profiled and planned anew.
  void Forget(uint64_t signature);
  // Forgets plans and profiles that are not for this limit, which the agent has
  // ordered.
  void ForgetOtherLimits(int64_t limit_bytes);

 private:
  // What is remembered of a kind whether or not it has a plan.
  struct Kind {
    int64_t steps = 0;
    int surprises = 0;    // in a row
    int other_kinds = 0;  // of these: steps that were of other kinds
    int64_t followed_steps = 0;
    int64_t next_profile = kFirstProfileAgain;  // `followed_steps` then
    int64_t served_steps = 0;  // that followed the plan that there is now
    int64_t profiled_limit_bytes = 0;  // when it was profiled last
    uint64_t outgrown = 0;             // steps whose plan did not fit
    ModeChoice choice;

    void ForgetSurprises() { surprises = other_kinds = 0; }
  };
  std::unordered_map<uint64_t, PlanTable> plans_;   // by signature
  std::unordered_map<uint64_t, Kind> kinds_;        // by signature
  std::unordered_map<uint64_t, Origins> profiled_;  // by signature
  uint64_t previous_ = 0;  // signature of the last step
  uint64_t followed_ = 0;  // of the last that followed a plan to its end
  KindForecast forecast_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLANS_PLAN_LIBRARY_H_
