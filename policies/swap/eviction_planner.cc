#include "policies/swap/eviction_planner.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "policies/layout/address_layout.h"

namespace stowage::policies {
namespace {

// The most periods that are compared to relieve one boundary. They bound the
// time that is spent where lanes are saturated and no copy can hide.
constexpr size_t kMaxFreeCandidates = 32;
constexpr size_t kMaxTakenCandidates = 8;
constexpr int64_t kMaxStepsPerPeriod = 4;

}  // namespace

EvictionPlanner::EvictionPlanner(const Graph& graph, const MemorySystem& system,
                                 const Workload& workload,
                                 const std::vector<int64_t>& boundary_ns,
                                 double copy_margin, int64_t budget_bytes)
    : graph_(graph),
      system_(system),
      workload_(workload),
      boundary_ns_(boundary_ns),
      budget_bytes_(budget_bytes),
      step_(graph.kernel_count() + 1),
      periods_(FindInactivePeriods(graph, workload)),
      begins_(step_),
      taken_(periods_.size()) {
  for (const Tensor& tensor : graph.tensors) {
    const auto with_margin = [&](TierIndex from, TierIndex to) {
      return static_cast<int64_t>(
          copy_margin * system_.CopyDurationNs(from, to, tensor.size_bytes));
    };
    out_ns_.push_back(with_margin(kFastTier, 1));
    in_ns_.push_back(with_margin(1, kFastTier));
  }
  for (size_t g = 0; g < periods_.size(); ++g) {
    for (const KernelIndex turn : {0, step_}) {
      const KernelIndex begin = std::max(0, periods_[g].from - turn);
      const KernelIndex end = std::min(step_, periods_[g].to - turn);
      const KernelIndex next_use =
          periods_[g].moves_in ? periods_[g].to - turn : 3 * step_;
      if (begin >= end) continue;
      begins_[begin].push_back({.period = static_cast<int>(g),
                                .turn = turn,
                                .end = end,
                                .next_use = next_use});
    }
  }
}

// Adds the periods that begin at the boundary to those that cover it, and
// removes those that have ended.
void EvictionPlanner::Open(KernelIndex boundary) {
  std::erase_if(covering_,
                [&](const Cover& cover) { return cover.end <= boundary; });
  for (Cover& cover : begins_[boundary]) {
    SetTaken(cover);
    const auto behind = std::partition_point(
        covering_.begin(), covering_.end(), [&](const Cover& other) {
          return std::tuple(-other.next_use, other.period) <
                 std::tuple(-cover.next_use, cover.period);
        });
    covering_.insert(behind, cover);
  }
}

void EvictionPlanner::SetTaken(Cover& cover) const {
  const std::optional<Option>& option = taken_[cover.period];
  cover.taken = option.has_value();
  if (!cover.taken) return;
  cover.left = option->taken.left - cover.turn;
  cover.fetch = option->taken.fetch - cover.turn;
}

bool EvictionPlanner::Plan(int64_t max_wait_ns) {
  CountFastBytes();
  TakeMandatoryPeriods();
  int64_t steps_left =
      kMaxStepsPerPeriod * static_cast<int64_t>(periods_.size()) + 1000;
  for (KernelIndex b = 0; b < step_; ++b) {
    const int64_t need_bytes =
        b < graph_.kernel_count() ? workload_.need_bytes[b] : 0;
    const int64_t allowed_bytes = std::max(budget_bytes_, need_bytes);
    if (workload_.cancellation.IsCancelled()) return false;
    Open(b);
    while (fast_bytes_[b] > allowed_bytes) {
      if (--steps_left < 0 || !RelieveBoundary(b)) return false;
      if (wait_ns_ > max_wait_ns) return false;
    }
  }
  return wait_ns_ <= max_wait_ns;
}

std::vector<Residency> EvictionPlanner::Residencies() const {
  std::vector<TakenPeriod> taken;
  for (const std::optional<Option>& option : taken_) {
    if (option.has_value()) taken.push_back(option->taken);
  }
  return ResidenciesWithout(graph_, std::move(taken));
}

void EvictionPlanner::CountFastBytes() {
  // Collects changes first, then sums them up.
  fast_bytes_.assign(step_ + 1, 0);
  for (const Residency& residency : AllFastResidencies(graph_)) {
    if (residency.begin >= residency.end) continue;
    const int64_t bytes =
        RoundUpToPlacement(graph_.tensors[residency.tensor].size_bytes);
    fast_bytes_[residency.begin] += bytes;
    fast_bytes_[residency.end] -= bytes;
  }
  fast_bytes_.pop_back();
  std::partial_sum(fast_bytes_.begin(), fast_bytes_.end(), fast_bytes_.begin());
}

void EvictionPlanner::AddFastBytes(KernelIndex begin, KernelIndex end,
                                   int64_t bytes) {
  for (const KernelIndex turn : {0, step_}) {
    const KernelIndex last = std::min(step_, end - turn);
    for (KernelIndex b = std::max(0, begin - turn); b < last; ++b) {
      fast_bytes_[b] += bytes;
    }
  }
}

void EvictionPlanner::TakeMandatoryPeriods() {
  for (size_t g = 0; g < periods_.size(); ++g) {
    const InactivePeriod& period = periods_[g];
    const bool free = !period.moves_out && !period.moves_in;
    if (!period.mandatory() && !free) continue;
    if (workload_.cancellation.IsCancelled()) return;
    Take(g, period.mandatory()
                ? Schedule(period, period.slow_first, period.slow_last)
                : Schedule(period, period.from, period.to - 1));
  }
}

// Frees room at the boundary by one period; returns false if no period can.
bool EvictionPlanner::RelieveBoundary(KernelIndex boundary) {
  Option best;
  int best_period = -1;
  int64_t best_wait_ns = 0;
  VisitCandidates(boundary, [&](int g) {
    const int64_t before_ns = taken_[g].has_value() ? taken_[g]->wait_ns : 0;
    const Option option = Extend(g, boundary);
    const int64_t wait_ns = option.wait_ns - before_ns;
    if (best_period >= 0 && wait_ns >= best_wait_ns) return true;
    best = option;
    best_period = g;
    best_wait_ns = wait_ns;
    return wait_ns > 0;
  });
  if (best_period < 0) return false;
  if (taken_[best_period].has_value()) GiveBack(best_period);
  Take(best_period, best);
  for (Cover& cover : covering_) {
    if (cover.period == best_period) SetTaken(cover);
  }
  return true;
}

void EvictionPlanner::VisitCandidates(
    KernelIndex boundary, absl::FunctionRef<bool(int period)> visit) const {
  for (const bool taken : {false, true}) {
    size_t visits_left = taken ? kMaxTakenCandidates : kMaxFreeCandidates;
    for (const Cover& cover : covering_) {
      if (cover.taken != taken) continue;
      const bool absent =
          taken && cover.left <= boundary && boundary < cover.fetch;
      if (absent) continue;
      if (visits_left-- == 0) break;
      if (!visit(cover.period)) return;
    }
  }
}

KernelIndex EvictionPlanner::Unroll(int period, KernelIndex boundary) const {
  return boundary < periods_[period].from ? boundary + step_ : boundary;
}

// Returns how to take the period so that it frees room at the boundary as well
// as wherever it already has to.
EvictionPlanner::Option EvictionPlanner::Extend(int period,
                                                KernelIndex boundary) {
  const KernelIndex at = Unroll(period, boundary);
  if (!taken_[period].has_value()) return Schedule(periods_[period], at, at);
  const Option& before = *taken_[period];
  ReleaseLanes(before);
  const Option option =
      Schedule(periods_[period], std::min(at, before.slow_first),
               std::max(at, before.slow_last));
  ReserveLanes(before);
  return option;
}

// Returns the copies of `period` such that its tensor is slow at boundaries
// slow_first .. slow_last.
EvictionPlanner::Option EvictionPlanner::Schedule(const InactivePeriod& period,
                                                  KernelIndex slow_first,
                                                  KernelIndex slow_last) const {
  Option option;
  option.taken.period = period;
  option.slow_first = slow_first;
  option.slow_last = slow_last;
  option.taken.leave = option.taken.left = period.from;
  option.taken.fetch = option.taken.back = period.to;
  if (period.moves_out) ScheduleOut(period, slow_first, option);
  if (period.moves_in) ScheduleIn(period, slow_last + 1, option);
  return option;
}

// Schedules the copy out as early as the lane allows, complete by boundary
// `by`. A move cannot cross the end of the step, so a copy that may run in this
// step or in the next one tries this one first.
void EvictionPlanner::ScheduleOut(const InactivePeriod& period, KernelIndex by,
                                  Option& option) const {
  const int64_t duration_ns = out_ns_[period.tensor];
  int64_t least_wait_ns = -1;
  for (const KernelIndex turn : {0, step_}) {
    const KernelIndex first = std::max(period.from, turn);
    const KernelIndex last = std::min(by, turn + step_ - 1);
    if (first > last) continue;
    const int64_t start_ns =
        out_lane_.EarliestStart(boundary_ns_[first - turn], duration_ns);
    const KernelIndex done = turn + FirstBoundaryAt(start_ns + duration_ns);
    const int64_t wait_ns = std::max<int64_t>(
        0, start_ns + duration_ns - boundary_ns_[last - turn]);
    if (least_wait_ns >= 0 && wait_ns >= least_wait_ns) continue;
    least_wait_ns = wait_ns;
    option.taken.leave = first;
    option.taken.left = std::clamp(done, first, last);
    option.out_start_ns = start_ns;
  }
  option.wait_ns += least_wait_ns;
}

// Schedules the copy in as late as the lane allows, not before boundary
// `after`.
void EvictionPlanner::ScheduleIn(const InactivePeriod& period,
                                 KernelIndex after, Option& option) const {
  const int64_t duration_ns = in_ns_[period.tensor];
  int64_t least_wait_ns = -1;
  for (const KernelIndex turn : {step_, 0}) {
    const KernelIndex first = std::max(after, turn);
    const KernelIndex last = std::min(period.to, turn + step_ - 1);
    if (first > last) continue;
    const int64_t start_ns =
        in_lane_.LatestStart(boundary_ns_[last - turn], duration_ns);
    const KernelIndex begin =
        start_ns < 0 ? turn : turn + LastBoundaryAt(start_ns);
    const int64_t wait_ns =
        std::max<int64_t>(0, boundary_ns_[first - turn] - start_ns);
    if (least_wait_ns >= 0 && wait_ns >= least_wait_ns) continue;
    least_wait_ns = wait_ns;
    option.taken.fetch = std::clamp(begin, first, last);
    option.taken.back = last;
    option.in_start_ns = start_ns;
  }
  option.wait_ns += least_wait_ns;
}

void EvictionPlanner::Take(int period, const Option& option) {
  ReserveLanes(option);
  AddFastBytes(
      option.taken.left, option.taken.fetch,
      -RoundUpToPlacement(graph_.tensors[periods_[period].tensor].size_bytes));
  wait_ns_ += option.wait_ns;
  taken_[period] = option;
}

void EvictionPlanner::GiveBack(int period) {
  const Option& option = *taken_[period];
  ReleaseLanes(option);
  AddFastBytes(
      option.taken.left, option.taken.fetch,
      RoundUpToPlacement(graph_.tensors[periods_[period].tensor].size_bytes));
  wait_ns_ -= option.wait_ns;
  taken_[period].reset();
}

void EvictionPlanner::ReserveLanes(const Option& option) {
  const InactivePeriod& period = option.taken.period;
  if (period.moves_out) {
    out_lane_.Reserve(option.out_start_ns, out_ns_[period.tensor]);
  }
  if (period.moves_in) {
    in_lane_.Reserve(option.in_start_ns, in_ns_[period.tensor]);
  }
}

void EvictionPlanner::ReleaseLanes(const Option& option) {
  const InactivePeriod& period = option.taken.period;
  if (period.moves_out) {
    out_lane_.Release(option.out_start_ns, out_ns_[period.tensor]);
  }
  if (period.moves_in) {
    in_lane_.Release(option.in_start_ns, in_ns_[period.tensor]);
  }
}

// Clamps to the end of the step.
KernelIndex EvictionPlanner::FirstBoundaryAt(int64_t ns) const {
  const auto at =
      std::lower_bound(boundary_ns_.begin(), boundary_ns_.end(), ns);
  return std::min<KernelIndex>(at - boundary_ns_.begin(), step_ - 1);
}

KernelIndex EvictionPlanner::LastBoundaryAt(int64_t ns) const {
  const auto at =
      std::upper_bound(boundary_ns_.begin(), boundary_ns_.end(), ns);
  return static_cast<KernelIndex>(at - boundary_ns_.begin()) - 1;
}

}  // namespace stowage::policies
