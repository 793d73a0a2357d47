#include "client_sdk/runtime/plans/plan_library.h"

#include <bit>
#include <utility>

#include "client_sdk/session/limit_growth.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kProfileAgainFactor = 4;

}  // namespace

void PlanLibrary::Add(PlanTable plan) {
  const auto profiled = profiled_.find(plan.signature);
  if (profiled != profiled_.end()) plan.IndexOrigins(profiled->second);
  Kind& kind = kinds_[plan.signature];
  kind.ForgetSurprises();
  kind.served_steps = 0;
  const auto [known, is_new] = plans_.try_emplace(plan.signature);
  if (is_new || !plan.PlacesLike(known->second)) kind.choice.BeginPlan();
  kind.choice.NoteAlone(plan.AloneNs());
  known->second = std::move(plan);
}

void PlanLibrary::EndStep(uint64_t signature) {
  forecast_.Note(signature);
  previous_ = signature;
  Kind& kind = kinds_[signature];
  ++kind.steps;
  if (kind.surprises == kind.other_kinds) kind.ForgetSurprises();
}

const PlanTable* PlanLibrary::Expected() const {
  if (const std::optional<uint64_t> next = forecast_.Next()) {
    const PlanTable* plan = Find(*next);
    if (plan != nullptr || forecast_.was_right()) return plan;
  }
  const PlanTable* same = Find(previous_);
  return same != nullptr ? same : Find(followed_);
}

const PlanTable* PlanLibrary::FindPassing(const StepPosition& position) const {
  for (const auto& [signature, plan] : plans_) {
    if (plan.Passes(position)) return &plan;
  }
  return nullptr;
}

const PlanTable* PlanLibrary::Find(uint64_t signature) const {
  const auto plan = plans_.find(signature);
  return plan != plans_.end() ? &plan->second : nullptr;
}

bool PlanLibrary::Tries(const PlanTable& plan, int64_t step) const {
  const auto kind = kinds_.find(plan.signature);
  return kind == kinds_.end() || kind->second.surprises < kMaxSurprises ||
         step % kRetryEverySteps == 0;
}

bool PlanLibrary::IsStale(const PlanTable& plan) const {
  const auto kind = kinds_.find(plan.signature);
  return kind != kinds_.end() &&
         kind->second.surprises - kind->second.other_kinds >= kMaxSurprises;
}

const ModeChoice& PlanLibrary::Choice(const PlanTable& plan) const {
  return kinds_.at(plan.signature).choice;
}

void PlanLibrary::NoteDuration(uint64_t signature, std::optional<Driver> driver,
                               int64_t duration_ns) {
  if (!profiled_.contains(signature)) return;
  ModeChoice& choice = kinds_[signature].choice;
  if (driver.has_value()) {
    choice.Note(*driver, duration_ns);
  } else {
    choice.NoteDisturbed();
  }
}

void PlanLibrary::NoteSurprise(const PlanTable& plan) {
  ++kinds_[plan.signature].surprises;
}

void PlanLibrary::NoteOtherKind(const PlanTable& plan) {
  NoteSurprise(plan);
  ++kinds_[plan.signature].other_kinds;
}

bool PlanLibrary::NoteFollowed(const PlanTable& plan, int64_t limit_bytes) {
  followed_ = plan.signature;
  Kind& kind = kinds_[plan.signature];
  kind.ForgetSurprises();
  ++kind.served_steps;
  return ++kind.followed_steps >= kind.next_profile ||
         session::LimitHasChanged(kind.profiled_limit_bytes, limit_bytes);
}

void PlanLibrary::NoteProfiledAgain(const PlanTable& plan) {
  Kind& kind = kinds_[plan.signature];
  kind.next_profile = kProfileAgainFactor * kind.followed_steps;
}

bool PlanLibrary::WantsProfile(uint64_t signature, int64_t limit_bytes) const {
  const auto kind = kinds_.find(signature);
  if (profiled_.contains(signature)) {
    const int64_t profiled_bytes = kind->second.profiled_limit_bytes;
    return limit_bytes < profiled_bytes ||
           (!plans_.contains(signature) &&
            session::LimitHasGrown(profiled_bytes, limit_bytes));
  }
  if (profiled_.size() >= kMaxKinds) return false;
  const bool seen_before = kind != kinds_.end() && kind->second.steps > 1;
  return seen_before || profiled_.size() < kKindsAtFirstSight;
}

void PlanLibrary::NoteProfiled(uint64_t signature, int64_t limit_bytes,
                               const Origins& origins) {
  profiled_[signature] = origins;
  kinds_[signature].profiled_limit_bytes = limit_bytes;
}

bool PlanLibrary::ForgetOutgrown(const PlanTable& plan) {
  const uint64_t signature = plan.signature;
  Kind& kind = kinds_[signature];
  const bool served = kind.served_steps >= kServedSteps;
  if (!std::has_single_bit(++kind.outgrown) && !served) return false;
  Forget(signature);
  return true;
}

void PlanLibrary::Forget(uint64_t signature) {
  plans_.erase(signature);
  profiled_.erase(signature);
}

void PlanLibrary::ForgetOtherLimits(int64_t limit_bytes) {
  std::erase_if(plans_, [=](const auto& entry) {
    return session::LimitHasChanged(entry.second.fast_limit_bytes, limit_bytes);
  });
  std::erase_if(profiled_, [&](const auto& entry) {
    const Kind& kind = kinds_[entry.first];
    return session::LimitHasChanged(kind.profiled_limit_bytes, limit_bytes);
  });
  for (auto& [signature, kind] : kinds_) {
    kind.ForgetSurprises();
    kind.outgrown = 0;
    kind.followed_steps = 0;
    kind.next_profile = kFirstProfileAgain;
  }
}

}  // namespace stowage::runtime
