#include "policies/swap/swap_step.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "policies/model/kernel_cost.h"
#include "policies/planning/staging.h"

namespace stowage::policies {

SwapStep::SwapStep(const StepFacts& facts,
                   const std::set<TensorIndex>& at_start,
                   const std::vector<TierIndex>& first_slow_tier)
    : facts_(facts),
      first_slow_tier_(first_slow_tier),
      tensors_(facts.graph.tensors.size()),
      projected_bytes_(facts.all_fast_bytes),
      homes_(facts.graph.tensors.size(), 1),
      home_bytes_(facts.system.tiers.size(), 0) {
  for (TensorIndex t = 0; t < facts.graph.tensor_count(); ++t) {
    const Tensor& tensor = facts.graph.tensors[t];
    if (!tensor.movable() || !tensor.alive_at_start()) continue;
    tensors_[t].present = true;
    if (at_start.contains(t)) {
      Enter(t, /*moved_in=*/false);
      fast_.insert(t);
      tensors_[t].state = State::kFast;
      tensors_[t].touched = -1;
    } else {
      ChooseHome(t, 1);
      Project(t, 0, -facts.bytes[t]);
    }
  }
}

void SwapStep::Reach(KernelIndex b) {
  boundary_ = b;
  for (TensorIndex t : facts_.deaths[b]) Free(t);
  const auto end_copies = [&](const std::set<TensorIndex>& tensors) {
    std::vector<TensorIndex> ended;
    for (TensorIndex t : tensors) {
      const bool complete = tensors_[t].copied_ns <= now_ns_;
      // A copy cannot end after its tensor has died.
      if (complete || facts_.LastBoundary(t, b) == b) ended.push_back(t);
    }
    for (TensorIndex t : ended) Await(t);
  };
  end_copies(going_);
  end_copies(coming_);
}

void SwapStep::RunKernel() {
  PassTime(facts_.boundary_ns[boundary_ + 1] - facts_.boundary_ns[boundary_]);
}

void SwapStep::RunKernelInPlace() {
  const Kernel& kernel = facts_.graph.kernels[boundary_];
  const auto tier_of = [&](TensorIndex t) {
    const TensorState& s = tensors_[t];
    const bool slow = s.present && s.state == State::kSlow;
    return slow ? s.home : kFastTier;
  };
  PassTime(kernel.gap_ns +
           KernelDurationNs(facts_.graph, kernel, facts_.system, tier_of));
}

void SwapStep::PassTime(int64_t kernel_ns) {
  for (TensorIndex t : facts_.workload.staged[boundary_]) {
    tensors_[t].touched = boundary_;
  }
  now_ns_ = std::min(kLatestNs, now_ns_ + kernel_ns);
}

PlacementDecision SwapStep::Finish(const std::set<TensorIndex>& keep) {
  for (const auto* copies : {&going_, &coming_}) {
    while (!copies->empty()) Await(*copies->begin());
  }
  const std::set<TensorIndex> fast = fast_;
  for (TensorIndex t : fast) {
    if (!keep.contains(t)) {
      Expel(t);
      continue;
    }
    const TensorState& s = tensors_[t];
    residencies_.push_back({t, s.begin, s.ready, boundary_ + 1, boundary_ + 1,
                            s.moved_in, /*moved_out=*/false});
  }
  for (const Residency& fixed : ImmovableResidencies(facts_.graph)) {
    residencies_.push_back(fixed);
  }
  std::sort(residencies_.begin(), residencies_.end(),
            [](const Residency& a, const Residency& b) {
              return std::tie(a.tensor, a.begin, a.end) <
                     std::tie(b.tensor, b.begin, b.end);
            });
  return {std::move(residencies_), std::move(homes_)};
}

void SwapStep::Provide(TensorIndex t) {
  if (!facts_.graph.tensors[t].movable()) return;
  TensorState& s = tensors_[t];
  if (!s.present) {
    s.present = true;
    Enter(t, /*moved_in=*/false);
    s.state = State::kFast;
    fast_.insert(t);
    return;
  }
  if (s.state == State::kSlow) BeginIn(t);
  if (s.state == State::kComing) Await(t);
}

void SwapStep::Expel(TensorIndex t) {
  TensorState& s = tensors_[t];
  if (!s.present) {
    s.present = true;
    ChooseHome(t, 1);
    Project(t, boundary_, -facts_.bytes[t]);
    return;
  }
  if (s.state == State::kComing) Await(t);
  if (s.state == State::kFast) BeginOut(t);
  if (s.state == State::kGoing) Await(t);
}

void SwapStep::BeginIn(TensorIndex t) {
  TensorState& s = tensors_[t];
  Project(t, boundary_, facts_.bytes[t]);
  s.copied_ns = Copy(s.home, kFastTier, t);
  Enter(t, /*moved_in=*/true);
  s.state = State::kComing;
  coming_.insert(t);
}

void SwapStep::BeginOut(TensorIndex t) {
  TensorState& s = tensors_[t];
  if (s.home == kFastTier) {
    ChooseHome(t, first_slow_tier_.empty() ? 1 : first_slow_tier_[t]);
  }
  s.copied_ns = Copy(kFastTier, s.home, t);
  s.leave = boundary_;
  s.state = State::kGoing;
  fast_.erase(t);
  going_.insert(t);
  // A kernel that uses the tensor at this boundary does so before it is gone.
  const bool used = facts_.NextUse(t, boundary_) == boundary_;
  Project(t, boundary_ + (used ? 1 : 0), -facts_.bytes[t]);
  if (facts_.LastBoundary(t, boundary_) == boundary_) Await(t);
}

void SwapStep::Await(TensorIndex t) {
  const State state = tensors_[t].state;
  if (state != State::kComing && state != State::kGoing) return;
  now_ns_ = std::max(now_ns_, tensors_[t].copied_ns);
  if (state == State::kComing) {
    Arrive(t);
  } else {
    Depart(t, /*moved_out=*/true);
  }
}

int64_t SwapStep::ProjectedPeakBytes(KernelIndex begin, KernelIndex end) const {
  const KernelIndex last =
      std::min<KernelIndex>(std::max(end, begin + 1), projected_bytes_.size());
  return *std::max_element(projected_bytes_.begin() + begin,
                           projected_bytes_.begin() + last);
}

std::set<TensorIndex> SwapStep::AtEnd() const {
  std::set<TensorIndex> at_end = fast_;
  at_end.insert(coming_.begin(), coming_.end());
  return at_end;
}

void SwapStep::Enter(TensorIndex t, bool moved_in) {
  TensorState& s = tensors_[t];
  s.begin = s.ready = s.touched = boundary_;
  s.moved_in = moved_in;
  s.arrival = ++arrivals_;
  held_bytes_ += facts_.bytes[t];
}

void SwapStep::Arrive(TensorIndex t) {
  tensors_[t].ready = boundary_;
  tensors_[t].state = State::kFast;
  coming_.erase(t);
  fast_.insert(t);
}

void SwapStep::Depart(TensorIndex t, bool moved_out) {
  TensorState& s = tensors_[t];
  const KernelIndex leave = moved_out ? s.leave : boundary_;
  residencies_.push_back(
      {t, s.begin, s.ready, leave, boundary_, s.moved_in, moved_out});
  s.state = State::kSlow;
  fast_.erase(t);
  going_.erase(t);
  held_bytes_ -= facts_.bytes[t];
}

// Frees a tensor at the boundary after its last one. Its copies have ended
// before: a tensor that comes is used first, and one that goes is waited for.
void SwapStep::Free(TensorIndex t) {
  TensorState& s = tensors_[t];
  if (s.state == State::kFast) Depart(t, /*moved_out=*/false);
  if (s.home != kFastTier) home_bytes_[s.home] -= facts_.bytes[t];
  s = {};
}

void SwapStep::ChooseHome(TensorIndex t, TierIndex first) {
  TierIndex tier = first;
  const auto has_room = [&](TierIndex tier) {
    const int64_t capacity = facts_.system.tiers[tier].capacity_bytes;
    return capacity == 0 || home_bytes_[tier] + facts_.bytes[t] <= capacity;
  };
  while (tier + 1 < facts_.system.tier_count() && !has_room(tier)) ++tier;
  tensors_[t].home = homes_[t] = tier;
  home_bytes_[tier] += facts_.bytes[t];
}

// Starts a copy; returns when it ends.
int64_t SwapStep::Copy(TierIndex from, TierIndex to, TensorIndex t) {
  int64_t& lane_free_ns = lanes_[{from, to}];
  const int64_t copy_ns = facts_.system.CopyDurationNs(
      from, to, facts_.graph.tensors[t].size_bytes);
  lane_free_ns = std::min(kLatestNs, std::max(lane_free_ns, now_ns_) + copy_ns);
  return lane_free_ns;
}

// Adds `bytes` to the projection from `begin` to the next use or the end of the
// tensor's life.
void SwapStep::Project(TensorIndex t, KernelIndex begin, int64_t bytes) {
  const KernelIndex use = facts_.NextUse(t, begin);
  const KernelIndex end = use >= 0 ? use : facts_.LastBoundary(t, begin) + 1;
  for (KernelIndex b = begin; b < end; ++b) projected_bytes_[b] += bytes;
}

std::set<TensorIndex> SteadyStart(
    absl::FunctionRef<std::set<TensorIndex>(const std::set<TensorIndex>&)>
        at_end) {
  std::set<TensorIndex> start = at_end({});
  while (true) {
    const std::set<TensorIndex> end = at_end(start);
    std::set<TensorIndex> kept;
    std::set_intersection(start.begin(), start.end(), end.begin(), end.end(),
                          std::inserter(kept, kept.begin()));
    if (kept == start) return kept;
    start = std::move(kept);
  }
}

}  // namespace stowage::policies
