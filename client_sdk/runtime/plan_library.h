// The plans that a job has been given, and what it remembers of the kinds of
// step that they are for.
//
//   PlanLibrary plans;
//   plans.Add(*std::move(plan));
//   plans.EndStep(signature);                  // of the step that has ended
//   const PlanTable* plan = plans.Expected();  // for the one that begins
//   if (plan != nullptr && plans.Tries(*plan, step)) ...
//
// A kind of step is known by its signature: the kernels and the sizes of what
// they allocate, in order. A step's signature is known when it ends, but its
// plan is needed when it begins. So the library expects each kind to be
// followed by the kind that followed it last; a job whose kinds alternate is
// planned as well as one that has a single kind.
//
// Invariants:
//  * A kind is profiled once, or once more for each time that its plan is
//    forgotten, and at most kMaxKinds are: a job whose steps are never the same
//    does not profile forever.
//  * A plan that was left in kMaxSurprises steps in a row is tried rarely from
//    then on, until a step follows it to its end or another plan takes its
//    place.
//  * A step that followed its plan is profiled again ever more rarely, and so
//    is a plan forgotten that does not fit any more: what a job settles into
//    stays.
//  * A `const PlanTable*` is good until its kind is forgotten. Add() with the
//    same signature changes what it points to.
//
// Pure: it reads no clock and no shared memory. The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLAN_LIBRARY_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLAN_LIBRARY_H_

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "client_sdk/runtime/plan_table.h"

namespace stowage::runtime {

class PlanLibrary {
 public:
  static constexpr int kMaxKinds = 10;  // Sentinel's bound on buckets
  static constexpr int kMaxSurprises = 3;
  static constexpr int kRetryEverySteps = 16;

  // The plan takes the place of one for the same kind of step.
  void Add(PlanTable plan);

  // A step of this kind has ended.
  void EndStep(uint64_t signature);
  // The plan of the kind of step that is expected next, or null.
  const PlanTable* Expected() const;
  // Whether step number `step` should be driven by the plan.
  bool Tries(const PlanTable& plan, int64_t step) const;

  // A step left the plan, or could not begin under it.
  void NoteSurprise(const PlanTable& plan);
  // A step followed the plan to its end. Returns true if it is one whose
  // profile may be better than the one that the plan was made from; the caller
  // calls NoteProfiledAgain() once that has been published.
  bool NoteFollowed(const PlanTable& plan);
  void NoteProfiledAgain(const PlanTable& plan);

  // Whether a profile of this kind has yet to be published.
  bool WantsProfile(uint64_t signature) const;
  void NoteProfiled(uint64_t signature);

  // The plan does not fit any more. Returns true if it is forgotten, so that
  // the kind is profiled and planned anew; for the 1st, 2nd, 4th, 8th, … time
  // that this is said of a kind.
  bool ForgetOutgrown(const PlanTable& plan);

 private:
  // What is remembered of a kind whether or not it has a plan.
  struct Kind {
    int surprises = 0;  // in a row
    int64_t followed_steps = 0;
    int64_t next_profile = 2;  // when `followed_steps` gets there
    uint64_t outgrown = 0;     // steps whose plan did not fit
  };

  std::unordered_map<uint64_t, PlanTable> plans_;  // by signature
  std::unordered_map<uint64_t, Kind> kinds_;       // by signature
  std::unordered_set<uint64_t> profiled_;
  uint64_t previous_ = 0;                        // signature of the last step
  std::unordered_map<uint64_t, uint64_t> next_;  // the kind that followed it
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLAN_LIBRARY_H_
