#include "client_sdk/runtime/plan_library.h"

#include <bit>
#include <utility>

namespace stowage::runtime {
namespace {

constexpr int64_t kProfileAgainFactor = 4;

}  // namespace

void PlanLibrary::Add(PlanTable plan) {
  const uint64_t signature = plan.signature;
  plans_[signature] = std::move(plan);
  kinds_[signature].surprises = 0;
}

void PlanLibrary::EndStep(uint64_t signature) {
  next_[previous_] = signature;
  previous_ = signature;
}

const PlanTable* PlanLibrary::Expected() const {
  const auto next = next_.find(previous_);
  const auto plan = plans_.find(next != next_.end() ? next->second : previous_);
  return plan != plans_.end() ? &plan->second : nullptr;
}

bool PlanLibrary::Tries(const PlanTable& plan, int64_t step) const {
  const auto kind = kinds_.find(plan.signature);
  return kind == kinds_.end() || kind->second.surprises < kMaxSurprises ||
         step % kRetryEverySteps == 0;
}

void PlanLibrary::NoteSurprise(const PlanTable& plan) {
  ++kinds_[plan.signature].surprises;
}

bool PlanLibrary::NoteFollowed(const PlanTable& plan) {
  Kind& kind = kinds_[plan.signature];
  kind.surprises = 0;
  return ++kind.followed_steps >= kind.next_profile;
}

void PlanLibrary::NoteProfiledAgain(const PlanTable& plan) {
  Kind& kind = kinds_[plan.signature];
  kind.next_profile = kProfileAgainFactor * kind.followed_steps;
}

bool PlanLibrary::WantsProfile(uint64_t signature) const {
  return profiled_.size() < kMaxKinds && !profiled_.contains(signature);
}

void PlanLibrary::NoteProfiled(uint64_t signature) {
  profiled_.insert(signature);
}

bool PlanLibrary::ForgetOutgrown(const PlanTable& plan) {
  const uint64_t signature = plan.signature;
  if (!std::has_single_bit(++kinds_[signature].outgrown)) return false;
  plans_.erase(signature);
  profiled_.erase(signature);
  return true;
}

}  // namespace stowage::runtime
