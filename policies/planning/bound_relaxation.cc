#include "policies/planning/bound_relaxation.h"

#include <algorithm>
#include <utility>

namespace stowage {
namespace {

std::vector<KernelIndex> PricedKernels(const BoundTimeline& timeline) {
  std::vector<KernelIndex> kernels;
  for (size_t k = 0; k < timeline.segment.size(); ++k) {
    if (timeline.priced[timeline.segment[k]] >= 0) {
      kernels.push_back(static_cast<KernelIndex>(k));
    }
  }
  return kernels;
}

}  // namespace

BoundRelaxation::BoundRelaxation(const Graph& graph, const MemorySystem& system,
                                 int64_t fast_limit_bytes, int priced,
                                 int blocks)
    : step_(graph.kernel_count() + 1),
      least_ns_(LeastKernelNs(graph, system)),
      timeline_(MakeBoundTimeline(graph, least_ns_, priced, blocks)),
      room_(FindKernelRoom(graph, system, fast_limit_bytes)),
      lives_(FindTensorLives(graph, system, room_)),
      lanes_(2 * (system.tier_count() - 1)),
      measures_(MakeRoomMeasures(graph, room_, PricedKernels(timeline_))) {}

BoundPrices BoundRelaxation::ZeroPrices() const {
  BoundPrices prices;
  prices.room.resize(measures_.there.size());
  prices.lane.assign(timeline_.busy_ns.size(), std::vector<double>(lanes_));
  return prices;
}

double BoundRelaxation::NsPerByte() const {
  double bytes = 0, ns = 0;
  for (const TensorLife& life : lives_) {
    if (!life.movable || life.out_ns.empty()) continue;
    bytes += life.bytes;
    ns += life.out_ns.front() + life.in_ns.front();
  }
  return bytes > 0 ? ns / bytes : 0;
}

std::vector<double> BoundRelaxation::RoomScales() const {
  const double ns_per_byte = NsPerByte();
  std::vector<double> scales;
  for (int r = 0; r < timeline_.priced_count; ++r) {
    const double bytes = measures_.there[r * kRoomMeasures];
    scales.push_back(ns_per_byte);
    for (int m = 1; m < kRoomMeasures; ++m) {
      scales.push_back(ns_per_byte * bytes / (m + 1));
    }
  }
  return scales;
}

int64_t BoundRelaxation::Work() const {
  int64_t work = 0;
  for (const TensorLife& life : lives_) {
    work += Segment(life.end) - Segment(life.begin) + 1 +
            2 * static_cast<int64_t>(life.stops.size());
  }
  return work;
}

BoundValue BoundRelaxation::Evaluate(const BoundPrices& prices) {
  prices_ = &prices;
  SpreadPrices();
  value_ = {.ascent = ZeroPrices()};
  for (size_t b = 0; b < timeline_.busy_ns.size(); ++b) {
    value_.bound_ns += prices.kernel(b) * timeline_.busy_ns[b];
    for (double& lane : value_.ascent.lane[b]) lane -= timeline_.busy_ns[b];
  }
  for (size_t r = 0; r < prices.room.size(); ++r) {
    value_.bound_ns -= prices.room[r] * measures_.there[r];
    value_.ascent.room[r] -= measures_.there[r];
  }
  for (size_t t = 0; t < lives_.size(); ++t) {
    LookAt(t);
    if (lives_[t].movable && !lives_[t].out_ns.empty()) {
      AddLife(lives_[t]);
    } else {
      AddHeld(lives_[t]);
    }
  }
  return std::move(value_);
}

// Of an unrolled kernel, itself unrolled.
int BoundRelaxation::Segment(KernelIndex k) const {
  return k / step_ * segments() + timeline_.segment[k % step_];
}

// Into `before` the sums of prices for a tensor of counted size `size`.
void BoundRelaxation::SpreadRoom(size_t size,
                                 std::vector<double>& before) const {
  const std::vector<double>& taken = measures_.taken[size];
  before.assign(2 * segments() + 1, 0);
  for (int s = 0; s < 2 * segments(); ++s) {
    const int priced = timeline_.priced[s % segments()];
    double price = 0;
    if (priced >= 0) {
      for (int m = 0; m < kRoomMeasures; ++m) {
        const int r = priced * kRoomMeasures + m;
        price += prices_->room[r] * taken[r];
      }
    }
    before[s + 1] = before[s] + price;
  }
}

void BoundRelaxation::SpreadPrices() {
  const int count = 2 * segments();
  byte_before_.assign(count + 1, 0);
  for (int s = 0; s < count; ++s) {
    const int priced = timeline_.priced[s % segments()];
    byte_before_[s + 1] =
        byte_before_[s] +
        (priced < 0 ? 0 : prices_->room[priced * kRoomMeasures]);
  }
  size_before_.resize(measures_.sizes.size());
  for (size_t i = 0; i < size_before_.size(); ++i) {
    SpreadRoom(i, size_before_[i]);
  }
  lane_.assign(lanes_, std::vector<double>(2 * count));
  for (int lane = 0; lane < lanes_; ++lane) {
    for (int moment = 0; moment < 2 * count; ++moment) {
      lane_[lane][moment] = prices_->lane[BlockAt(moment)][lane];
    }
  }
}

void BoundRelaxation::LookAt(size_t life) {
  bytes_ = lives_[life].bytes;
  size_ = measures_.size_of[life];
  room_before_ = size_ < 0 ? &byte_before_ : &size_before_[size_];
  room_factor_ = size_ < 0 ? bytes_ : 1;
}

// What is fixed takes bytes alone: counts are of what it leaves.
void BoundRelaxation::Hold(int begin, int end, bool is_fixed) {
  for (int s = begin; s < end; ++s) {
    const int priced = timeline_.priced[s % segments()];
    if (priced < 0) continue;
    double* ascent = &value_.ascent.room[priced * kRoomMeasures];
    ascent[0] += bytes_;
    if (size_ < 0 || is_fixed) continue;
    const double* taken = &measures_.taken[size_][priced * kRoomMeasures];
    for (int m = 1; m < kRoomMeasures; ++m) ascent[m] += taken[m];
  }
}

void BoundRelaxation::Improve(const std::vector<double>& ns, int direction,
                              int moment, Copy& best) const {
  for (size_t slower = 0; slower < ns.size(); ++slower) {
    const double cost = ns[slower] * lane_[2 * slower + direction][moment];
    if (cost < best.cost) best = {cost, moment, static_cast<int>(slower)};
  }
}

// The kernel of the next stop, or behind the end of life.
KernelIndex BoundRelaxation::NextKernel(const TensorLife& life,
                                        size_t stop) const {
  return stop + 1 < life.stops.size() ? life.stops[stop + 1].kernel
                                      : life.end + 1;
}

// Into `fetches_` what it costs to be fetched from each segment on, with the
// copy complete before the kernels of `last` run.
void BoundRelaxation::FindFetches(const TensorLife& life, int first, int last) {
  fetches_.assign(last - first + 1, {});
  Copy in;
  for (int s = last; s >= first; --s) {
    if (s < last && in.cost > 0) Improve(life.in_ns, 1, 2 * s + 1, in);
    if (in.cost > 0) Improve(life.in_ns, 1, 2 * s, in);
    fetches_[s - first] = {in.cost + RoomCost(s, last), in.moment, in.slower};
  }
}

// Between `stop` and the next one.
BoundRelaxation::Passages BoundRelaxation::Pass(const TensorLife& life,
                                                size_t stop) {
  const LifeStop& a = life.stops[stop];
  const int first = Segment(a.kernel + 1);
  const int last = Segment(NextKernel(life, stop));
  const int earliest = std::min(Segment(a.written + 1), first);
  const bool crowded = a.fetch_after >= 0;
  const int leave_by = crowded ? std::min(Segment(a.leave_by), last) : last;
  const int fetch_from =
      crowded ? std::max(Segment(a.fetch_after + 1), first) : first;
  FindFetches(life, first, last);
  Passages passages;
  passages.at[0][0] = {0, first, last, {}, {}};
  Passage& fetching = passages.at[0][1];
  Passage& leaving = passages.at[1][0];
  Passage& staying = passages.at[1][1];
  if (!crowded) {
    const double room = RoomCost(first, last);
    staying = {room, last, last, {}, {}};
    // A copy in may have begun before this stop, which reads what is copied.
    Copy in = fetches_.front();
    in.cost -= room;
    for (int at = 2 * first - 1; at >= 2 * earliest && in.cost > 0; --at) {
      Improve(life.in_ns, 1, at, in);
    }
    fetching = {in.cost + room, first, first, {}, in};
  }
  Copy out;
  for (int at = 2 * earliest; at < 2 * first && out.cost > 0; ++at) {
    Improve(life.out_ns, 0, at, out);
  }
  for (int s = first; s <= last; ++s) {
    if (s <= leave_by && leaving.out.cost > 0) {
      Improve(life.out_ns, 0, 2 * s, out);
      const double cost = out.cost + RoomCost(first, s);
      if (cost < leaving.cost) leaving = {cost, s, last, out, {}};
      Improve(life.out_ns, 0, 2 * s + 1, out);
    }
    if (s < fetch_from) continue;
    const Copy& fetch = fetches_[s - first];
    if (fetch.cost < fetching.cost) {
      fetching = {fetch.cost, first, s, {}, fetch};
    }
    if (leaving.cost + fetch.cost < staying.cost) {
      staying = {leaving.cost + fetch.cost, leaving.left, s, leaving.out,
                 fetch};
    }
  }
  return passages;
}

double BoundRelaxation::StopCost(const TensorLife& life, size_t i,
                                 bool fast) const {
  const LifeStop& stop = life.stops[i];
  if (fast && !stop.can_be_fast) return kInfinite;
  if (stop.kernel < 0) return 0;  // the end of the step before
  const int segment = Segment(stop.kernel);
  if (fast && stop.slow_ns == kInfinite) {
    return (byte_before_[segment + 1] - byte_before_[segment]) * bytes_;
  }
  if (fast) return RoomCost(segment, segment + 1);
  if (stop.slow_ns == 0 || stop.slow_ns == kInfinite) return stop.slow_ns;
  return prices_->kernel(BlockOf(segment)) * stop.slow_ns;
}

// The cheapest way to be fast or slow at each stop, from a given beginning.
double BoundRelaxation::Solve(const TensorLife& life, bool fast_at_first) {
  const size_t count = life.stops.size();
  before_.assign(2 * count, 0);
  double cost[2] = {kInfinite, kInfinite};
  cost[fast_at_first] = StopCost(life, 0, fast_at_first);
  for (size_t i = 1; i < count; ++i) {
    double next[2] = {kInfinite, kInfinite};
    for (const int after : {0, 1}) {
      for (const int before : {0, 1}) {
        const double through =
            cost[before] + passages_[i - 1].at[before][after].cost;
        if (through >= next[after]) continue;
        next[after] = through;
        before_[2 * i + after] = before;
      }
      next[after] += StopCost(life, i, after);
    }
    cost[0] = next[0];
    cost[1] = next[1];
  }
  if (life.cyclic) {
    fast_at_last_ = fast_at_first;
    return cost[fast_at_first];
  }
  double best = kInfinite;
  for (const int at_last : {0, 1}) {
    for (const int after : {0, 1}) {
      const double through =
          cost[at_last] + passages_.back().at[at_last][after].cost;
      if (through >= best) continue;
      best = through;
      fast_at_last_ = at_last;
      fast_after_ = after;
    }
  }
  return best;
}

void BoundRelaxation::AddLife(const TensorLife& life) {
  passages_.clear();
  for (size_t i = 0; i + (life.cyclic ? 1 : 0) < life.stops.size(); ++i) {
    passages_.push_back(Pass(life, i));
  }
  const double slow = Solve(life, false);
  const double fast = Solve(life, true);
  if (slow < fast) Solve(life, false);
  value_.bound_ns += std::min(slow, fast);
  Trace(life);
}

void BoundRelaxation::AddHeld(const TensorLife& life) {
  const int begin = Segment(life.begin);
  const int end = Segment(life.end) + 1;
  Hold(begin, end, true);
  value_.bound_ns += (byte_before_[end] - byte_before_[begin]) * bytes_;
}

void BoundRelaxation::Trace(const TensorLife& life) {
  const size_t last = life.stops.size() - 1;
  bool fast = fast_at_last_;
  if (!life.cyclic) {
    AddPassage(life, last, passages_[last].at[fast][fast_after_]);
  }
  for (size_t i = life.stops.size(); i-- > 0;) {
    AddStop(life, i, fast);
    if (i == 0) break;
    const bool before = before_[2 * i + fast];
    AddPassage(life, i - 1, passages_[i - 1].at[before][fast]);
    fast = before;
  }
}

void BoundRelaxation::AddStop(const TensorLife& life, size_t i, bool fast) {
  const LifeStop& stop = life.stops[i];
  if (stop.kernel < 0) return;
  const int segment = Segment(stop.kernel);
  if (fast) return Hold(segment, segment + 1, stop.slow_ns == kInfinite);
  for (double& lane : value_.ascent.lane[BlockOf(segment)]) {
    lane -= stop.slow_ns;
  }
}

void BoundRelaxation::AddPassage(const TensorLife& life, size_t stop,
                                 const Passage& passage) {
  AddCopy(life.out_ns, 0, passage.out);
  AddCopy(life.in_ns, 1, passage.in);
  Hold(Segment(life.stops[stop].kernel + 1), passage.left, false);
  Hold(passage.fetched, Segment(NextKernel(life, stop)), false);
}

void BoundRelaxation::AddCopy(const std::vector<double>& ns, int direction,
                              const Copy& copy) {
  if (copy.cost == kInfinite) return;
  value_.ascent.lane[BlockAt(copy.moment)][2 * copy.slower + direction] +=
      ns[copy.slower];
}

}  // namespace stowage
