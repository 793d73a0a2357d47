#include "policies/intervals/interval_planner.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "policies/intervals/reserved_room.h"
#include "policies/layout/address_layout.h"

namespace stowage::policies {

IntervalPlanner::IntervalPlanner(const Graph& graph, const MemorySystem& system,
                                 const Workload& workload, const Layers& layers,
                                 LayerIndex length, const IntervalRules& rules,
                                 const std::vector<int64_t>& kernel_ns,
                                 int64_t budget_bytes)
    : graph_(graph),
      system_(system),
      workload_(workload),
      layers_(layers),
      rules_(rules),
      last_(graph.kernel_count()),
      intervals_(DivideIntoIntervals(layers, length)),
      room_(graph.kernel_count() + 1, budget_bytes),
      clock_(kernel_ns),
      tails_(graph.tensors.size()),
      resident_(graph.tensors.size(), -1),
      visited_(graph.tensors.size(), -1) {}

IntervalOutcome IntervalPlanner::Plan() {
  ReservedRoom reserved = HoldReservedRoom(graph_, workload_, layers_,
                                           intervals_, rules_.stage_all, room_);
  managed_ = std::move(reserved.managed);
  outcome_.residencies = std::move(reserved.residencies);
  outcome_.homeless = reserved.homeless;
  PrepareResidencies();
  if (intervals_.count() > 0) {
    tail_lane_ns_ = clock_.TimeNs(IntervalStart(intervals_.count() - 1));
  }
  for (int32_t i = 0; i < intervals_.count(); ++i) RunInterval(i);
  if (workload_.cancellation.IsCancelled()) return {};
  FinishStep();
  for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
    if (managed_[t]) AddResidenciesOf(t, outcome_.residencies);
  }
  std::stable_sort(outcome_.residencies.begin(), outcome_.residencies.end(),
                   [](const Residency& a, const Residency& b) {
                     return std::tie(a.tensor, a.begin) <
                            std::tie(b.tensor, b.begin);
                   });
  return std::move(outcome_);
}

void IntervalPlanner::PrepareResidencies() {
  table_ = FindVisits(graph_, workload_, intervals_, managed_,
                      /*births=*/rules_.stage_all);
  residencies_.resize(table_.uses.size());
  for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
    const Tensor& tensor = graph_.tensors[t];
    residencies_[t].reserve(table_.uses[t].size());
    for (const Use& use : table_.uses[t]) {
      const KernelIndex k = use.kernel;
      UseResidency residency{.placed = rules_.stage_all && !use.slow};
      residency.begin = residency.ready = k;
      residency.leave = residency.end = k + 1;
      residency.moved_in = tensor.persistent || tensor.birth_kernel != k;
      residency.moved_out = tensor.persistent || tensor.death_kernel != k;
      residencies_[t].push_back(residency);
    }
  }
}

void IntervalPlanner::RunInterval(int32_t interval) {
  clock_.Open(IntervalStart(interval + 1));
  for (const Visit& visit : table_.visits[interval]) {
    visited_[visit.tensor] = interval;
  }
  if (rules_.evict_idle) ReleaseIdle(interval);
  RunRequests(interval);
  if (!rules_.evict_idle) Linger(interval);
}

// Lets long-lived tensors leave as soon as their interval is done with them,
// unless the next one wants them (Sentinel IV-D, avoiding Case 2).
void IntervalPlanner::ReleaseIdle(int32_t interval) {
  std::vector<TensorIndex> idle;
  for (TensorIndex t : residents_) {
    if (visited_[t] != interval) idle.push_back(t);
  }
  const auto end = [&](TensorIndex t) {
    return residencies_[t][resident_[t]].end;
  };
  std::stable_sort(idle.begin(), idle.end(), [&](TensorIndex a, TensorIndex b) {
    return end(a) < end(b);
  });
  for (TensorIndex t : idle) Leave(t, resident_[t]);
}

// Lets idle tensors keep their room up to the start of the interval while none
// of its requests wants it. Those that are alive in the fewest layers are the
// first to leave (ReDL III-C).
void IntervalPlanner::Linger(int32_t interval) {
  std::vector<TensorIndex> idle;
  for (TensorIndex t : residents_) {
    if (visited_[t] != interval) idle.push_back(t);
  }
  const auto liveness = [&](TensorIndex t) {
    return LivenessInLayers(graph_.tensors[t], layers_);
  };
  std::stable_sort(idle.begin(), idle.end(), [&](TensorIndex a, TensorIndex b) {
    return liveness(a) > liveness(b);
  });
  for (TensorIndex t : idle) {
    UseResidency& residency = residencies_[t][resident_[t]];
    const Limit limit = LimitOf(t, resident_[t]);
    const KernelIndex last = limit.dies ? limit.death_boundary : limit.boundary;
    const KernelIndex goal = std::min(IntervalStart(interval), last);
    const KernelIndex until = room_.FitsUntil(residency.end, goal, Bytes(t));
    room_.Hold(residency.end, until, Bytes(t));
    residency.leave = residency.end = until;
    if (until < goal || (goal == last && !limit.may_stay)) {
      LeaveInTime(t, resident_[t]);
    }
  }
}

void IntervalPlanner::RunRequests(int32_t interval) {
  std::vector<Visit> requests = table_.visits[interval];
  const auto order = [&](const Visit& visit) {
    const int64_t accesses =
        rules_.nearest_first ? 0 : table_.accesses[visit.tensor];
    return std::tuple(-accesses, KernelOf(visit.tensor, visit.first_use),
                      visit.tensor);
  };
  std::sort(
      requests.begin(), requests.end(),
      [&](const Visit& a, const Visit& b) { return order(a) < order(b); });
  for (const Visit& visit : requests) {
    if (workload_.cancellation.IsCancelled()) return;
    PlaceVisit(visit);
  }
}

void IntervalPlanner::PlaceVisit(const Visit& visit) {
  if (rules_.stage_all) {
    PlacePieces(visit);
  } else if (!PlaceWhole(visit)) {
    if (resident_[visit.tensor] >= 0) {
      Leave(visit.tensor, resident_[visit.tensor]);
    }
    return;
  }
  resident_[visit.tensor] = visit.last_use;
  residents_.insert(visit.tensor);
}

// Places the tensor in the fast tier for all of the visit, or returns false:
// kernels can then use it in the slower tier.
bool IntervalPlanner::PlaceWhole(const Visit& visit) {
  const TensorIndex t = visit.tensor;
  if (visit.born && BornSlow(t)) return false;
  const KernelIndex first = KernelOf(t, visit.first_use);
  const KernelIndex end = KernelOf(t, visit.last_use) + 1;
  const KernelIndex begin = visit.born ? graph_.tensors[t].birth_kernel : first;
  if (!room_.Fits(begin, end, Bytes(t))) {
    ++outcome_.crowded;
    return false;
  }
  room_.Hold(first, end, Bytes(t));
  if (!Arrive(visit)) {
    room_.Hold(first, end, -Bytes(t));
    return false;
  }
  for (int32_t use = visit.first_use; use <= visit.last_use; ++use) {
    residencies_[t][use].placed = true;
    residencies_[t][use].joined = use < visit.last_use;
  }
  for (int32_t use = visit.first_use; use < visit.last_use; ++use) {
    residencies_[t][use].end = KernelOf(t, use + 1);
  }
  return true;
}

// Joins the uses of a visit. Each use has its room already; the time between
// them and ahead of them gets room as far as there is any.
void IntervalPlanner::PlacePieces(const Visit& visit) {
  const TensorIndex t = visit.tensor;
  for (int32_t use = visit.first_use; use < visit.last_use; ++use) {
    Join(t, use);
  }
  Arrive(visit);
  for (int32_t use = visit.first_use; use < visit.last_use; ++use) {
    if (residencies_[t][use].joined) continue;
    Leave(t, use);
    Fetch(t, use + 1, residencies_[t][use].end, KernelOf(t, use + 1), -1);
  }
}

bool IntervalPlanner::Arrive(const Visit& visit) {
  const TensorIndex t = visit.tensor;
  UseResidency& residency = residencies_[t][visit.first_use];
  const int32_t before = resident_[t];
  if (before >= 0) {
    if (!visit.born && !visit.apart && Join(t, before)) return true;
    Leave(t, before);
  }
  if (visit.born) {
    const KernelIndex birth = graph_.tensors[t].birth_kernel;
    room_.Hold(birth, residency.begin, Bytes(t));
    residency.begin = residency.ready = birth;
    residency.moved_in = false;
    return true;
  }
  return (IsHead(visit) && BeAtStart(visit)) || FetchVisit(visit);
}

// Returns whether this is the first visit in the step of a tensor that the step
// before leaves behind.
bool IntervalPlanner::IsHead(const Visit& visit) const {
  const Tensor& tensor = graph_.tensors[visit.tensor];
  if (visit.interval != 0 || visit.first_use != 0) return false;
  return tensor.persistent ||
         (tensor.wraps() && KernelOf(visit.tensor, 0) <= tensor.death_kernel);
}

// Places the tensor in the fast tier as the step begins, because the step
// before leaves it there. Returns false if that cannot be.
bool IntervalPlanner::BeAtStart(const Visit& visit) {
  const TensorIndex t = visit.tensor;
  UseResidency& residency = residencies_[t][visit.first_use];
  if (!room_.Fits(0, residency.begin, Bytes(t))) return false;
  const std::optional<KernelIndex> begin = BeginTail(visit);
  if (!begin.has_value()) return false;
  room_.Hold(0, residency.begin, Bytes(t));
  room_.Hold(*begin, last_ + 1, Bytes(t));
  residency.begin = residency.ready = 0;
  residency.moved_in = false;
  tails_[t] = UseResidency{.placed = true,
                           .begin = *begin,
                           .ready = last_,
                           .leave = last_ + 1,
                           .end = last_ + 1,
                           .moved_in = true};
  return true;
}

// Returns where in the last interval the residency begins that goes on in the
// next step. The tensor is fetched in time for it, or it stays after its last
// use, if that is in the last interval and so expected to find it fast. Returns
// nothing if there is no room, or if there is no time and the tensor shall
// rather stay slow.
std::optional<KernelIndex> IntervalPlanner::BeginTail(const Visit& visit) {
  const TensorIndex t = visit.tensor;
  const Tensor& tensor = graph_.tensors[t];
  const KernelIndex last_use = KernelOf(t, LastUse(t));
  const KernelIndex start = IntervalStart(intervals_.count() - 1);
  const bool stays_on = last_use >= start && !table_.uses[t].back().slow &&
                        !LimitOf(t, LastUse(t)).dies;
  KernelIndex earliest = std::max(start, last_use + 1);
  if (!tensor.persistent) {
    earliest = std::max(earliest, tensor.birth_kernel + 1);
  }
  const KernelIndex queued =
      stays_on ? earliest : clock_.LastAt(tail_lane_ns_, earliest, last_);
  const KernelIndex begin = room_.FitsFrom(queued, last_ + 1, Bytes(t));
  if (begin > last_) return std::nullopt;
  if (stays_on) return begin;
  const int64_t done_ns =
      std::max(tail_lane_ns_, clock_.TimeNs(begin)) +
      system_.CopyDurationNs(1, kFastTier, tensor.size_bytes);
  if (done_ns > clock_.TimeNs(last_)) {
    if (begin == queued) outcome_.late.insert(visit.interval);
    if (LeavesLate(visit.interval)) return std::nullopt;
  }
  tail_lane_ns_ = done_ns;
  return begin;
}

bool IntervalPlanner::FetchVisit(const Visit& visit) {
  // No interval of the step precedes the first one.
  const KernelIndex due = visit.interval == 0
                              ? KernelOf(visit.tensor, visit.first_use)
                              : IntervalStart(visit.interval);
  return Fetch(visit.tensor, visit.first_use, EarliestFetch(visit), due,
               visit.interval);
}

// Returns the first boundary at which a fetch may begin: not before the
// previous interval, nor while the tensor is written or on its way out.
KernelIndex IntervalPlanner::EarliestFetch(const Visit& visit) const {
  const TensorIndex t = visit.tensor;
  const Tensor& tensor = graph_.tensors[t];
  const KernelIndex first = KernelOf(t, visit.first_use);
  KernelIndex earliest = IntervalStart(std::max(0, visit.interval - 1));
  if (!tensor.persistent && tensor.birth_kernel < first) {
    earliest = std::max(earliest, tensor.birth_kernel + 1);
  }
  for (int32_t use = visit.first_use - 1; use >= 0; --use) {
    const Use& before = table_.uses[t][use];
    const UseResidency& residency = residencies_[t][use];
    if (residency.placed) return std::max(earliest, residency.end);
    if (before.slow || before.writes) {
      return std::max(earliest, before.kernel + 1);
    }
  }
  return earliest;
}

// Fetches for a use that has its room already. `due` is the start of the use's
// interval, which waits for a fetch that lacks time but not room. Returns false
// if the tensor shall rather stay slow.
bool IntervalPlanner::Fetch(TensorIndex t, int32_t use, KernelIndex earliest,
                            KernelIndex due, int32_t interval) {
  UseResidency& residency = residencies_[t][use];
  const KernelIndex kernel = KernelOf(t, use);
  earliest = std::min(earliest, kernel);
  const KernelIndex queued =
      clock_.LastAt(std::max(in_lane_ns_, clock_.TimeNs(earliest)), earliest,
                    std::max(earliest, due));
  const KernelIndex begin = room_.FitsFrom(queued, kernel, Bytes(t));
  const bool crowded = begin > queued;
  if (crowded) ++outcome_.crowded;
  const int64_t done_ns =
      std::max(in_lane_ns_, clock_.TimeNs(begin)) +
      system_.CopyDurationNs(1, kFastTier, graph_.tensors[t].size_bytes);
  KernelIndex ready = due;
  if (begin > due || (crowded && done_ns > clock_.TimeNs(due))) ready = kernel;
  const int64_t late_ns = done_ns - clock_.TimeNs(ready);
  if (late_ns > 0) {
    if (!crowded && interval >= 0) outcome_.late.insert(interval);
    if (!rules_.stage_all && (crowded || LeavesLate(interval))) return false;
    clock_.Wait(ready, late_ns);
  }
  in_lane_ns_ = done_ns;
  room_.Hold(begin, kernel, Bytes(t));
  residency.begin = begin;
  residency.ready = ready;
  residency.moved_in = true;
  return true;
}

// Lets the residency last until the tensor's next use.
bool IntervalPlanner::Join(TensorIndex t, int32_t use) {
  UseResidency& residency = residencies_[t][use];
  const KernelIndex next = residencies_[t][use + 1].begin;
  if (!room_.Fits(residency.end, next, Bytes(t))) return false;
  room_.Hold(residency.end, next, Bytes(t));
  residency.leave = residency.end = next;
  residency.joined = true;
  return true;
}

// Lets the residency go on in the next step.
bool IntervalPlanner::JoinTail(TensorIndex t, int32_t use) {
  if (use != LastUse(t) || !tails_[t].has_value()) return false;
  UseResidency& residency = residencies_[t][use];
  if (LimitOf(t, use).dies) return false;
  if (!room_.Fits(residency.end, tails_[t]->begin, Bytes(t))) return false;
  room_.Hold(residency.end, tails_[t]->begin, Bytes(t));
  residency.joined = true;
  tails_[t]->moved_in = false;
  return true;
}

IntervalPlanner::Limit IntervalPlanner::LimitOf(TensorIndex t,
                                                int32_t use) const {
  const Tensor& tensor = graph_.tensors[t];
  const std::vector<Use>& uses = table_.uses[t];
  const bool has_next = use < LastUse(t);
  const KernelIndex death = tensor.death_kernel;
  const bool dies = !tensor.persistent && uses[use].kernel <= death &&
                    (!has_next || uses[use + 1].kernel > death);
  if (dies) {
    return {.boundary = death, .dies = true, .death_boundary = death + 1};
  }
  if (!has_next) {
    return {.boundary = tails_[t].has_value() ? tails_[t]->begin : last_,
            .may_stay = true};
  }
  const UseResidency& next = residencies_[t][use + 1];
  return {.boundary = next.placed ? next.begin : uses[use + 1].kernel,
          .may_stay = !uses[use + 1].slow};
}

// Copies the tensor out, beginning where its residency ends now.
void IntervalPlanner::Leave(TensorIndex t, int32_t use) {
  UseResidency& residency = residencies_[t][use];
  if (residency.end > KernelOf(t, use) + 1) {
    LeaveInTime(t, use);
    return;
  }
  resident_[t] = -1;
  residents_.erase(t);
  const Limit limit = LimitOf(t, use);
  const bool dies_soon =
      limit.dies && (limit.death_boundary == residency.end ||
                     intervals_.of_kernel[limit.boundary] <= visited_[t] + 1);
  if (dies_soon && room_.Fits(residency.end, limit.death_boundary, Bytes(t))) {
    room_.Hold(residency.end, limit.death_boundary, Bytes(t));
    residency.leave = residency.end = limit.death_boundary;
    residency.moved_out = false;
    return;
  }
  const int64_t done_ns =
      std::max(out_lane_ns_, clock_.TimeNs(residency.end)) +
      system_.CopyDurationNs(kFastTier, 1, graph_.tensors[t].size_bytes);
  const KernelIndex done =
      clock_.FirstAt(done_ns, residency.end, limit.boundary);
  const KernelIndex end = room_.FitsUntil(residency.end, done, Bytes(t));
  room_.Hold(residency.end, end, Bytes(t));
  residency.leave = residency.end;
  residency.end = end;
  residency.moved_out = true;
  out_lane_ns_ = done_ns;
  if (done_ns > clock_.TimeNs(end)) {
    clock_.Wait(end, done_ns - clock_.TimeNs(end));
  }
}

// Copies the tensor out such that the copy is complete as its residency ends.
void IntervalPlanner::LeaveInTime(TensorIndex t, int32_t use) {
  UseResidency& residency = residencies_[t][use];
  resident_[t] = -1;
  residents_.erase(t);
  const Limit limit = LimitOf(t, use);
  if (limit.dies && residency.end == limit.death_boundary) {
    residency.leave = residency.end;
    residency.moved_out = false;
    return;
  }
  const int64_t copy_ns =
      system_.CopyDurationNs(kFastTier, 1, graph_.tensors[t].size_bytes);
  residency.leave = clock_.LastAt(clock_.TimeNs(residency.end) - copy_ns,
                                  KernelOf(t, use) + 1, residency.end);
  residency.moved_out = true;
  const int64_t done_ns =
      std::max(out_lane_ns_, clock_.TimeNs(residency.leave)) + copy_ns;
  out_lane_ns_ = done_ns;
  if (done_ns > clock_.TimeNs(residency.end)) {
    clock_.Wait(residency.end, done_ns - clock_.TimeNs(residency.end));
  }
}

void IntervalPlanner::FinishStep() {
  const absl::btree_set<TensorIndex> left = residents_;
  for (TensorIndex t : left) {
    if (!JoinTail(t, resident_[t])) Leave(t, resident_[t]);
  }
}

bool IntervalPlanner::LeavesLate(int32_t interval) const {
  return !rules_.stage_all && interval >= 0 &&
         interval < static_cast<int32_t>(rules_.leave_late.size()) &&
         rules_.leave_late[interval];
}

void IntervalPlanner::AddResidenciesOf(
    TensorIndex t, std::vector<Residency>& residencies) const {
  bool open = false;
  Residency residency;
  for (const UseResidency& use : residencies_[t]) {
    if (!use.placed) continue;
    if (!open) {
      residency = {.tensor = t, .begin = use.begin, .ready = use.ready};
      residency.moved_in = use.moved_in;
    }
    open = use.joined;
    if (open) continue;
    residency.leave = use.leave;
    residency.end = use.end;
    residency.moved_out = use.moved_out;
    residencies.push_back(residency);
  }
  if (!tails_[t].has_value()) return;
  const UseResidency& tail = *tails_[t];
  if (!open) {
    residency = {.tensor = t, .begin = tail.begin, .ready = tail.ready};
    residency.moved_in = true;
  }
  residency.leave = residency.end = last_ + 1;
  residencies.push_back(residency);
}

int64_t IntervalPlanner::Bytes(TensorIndex t) const {
  return RoundUpToPlacement(graph_.tensors[t].size_bytes);
}

}  // namespace stowage::policies
