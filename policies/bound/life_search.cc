#include "policies/bound/life_search.h"

#include <algorithm>
#include <array>

namespace stowage::policies {

LifeSearch::LifeSearch(const BoundTimeline& timeline,
                       const std::vector<double>& fast_ns) {
  const size_t slices = timeline.block.size();
  std::vector<double> slice_ns(slices);
  std::vector<int> kernels(slices);
  for (size_t k = 0; k < timeline.slice.size(); ++k) {
    const int s = timeline.slice[k];
    if (k < fast_ns.size()) slice_ns[s] += fast_ns[k];
    // There may be waiting between kernels that share a slice.
    if (++kernels[s] > 1) slice_ns[s] = kInfinite;
  }
  for (const int step : {0, 1}) {
    for (const int s : timeline.slice) {
      slice_.push_back(step * static_cast<int>(slices) + s);
    }
  }
  for (size_t s = 0; s < 2 * slices; ++s) {
    fast_ns_.push_back(kInfinite);
    fast_ns_.push_back(slice_ns[s % slices]);
  }
}

KernelIndex LifeSearch::NextKernel(const TensorLife& life, size_t stop) {
  return stop + 1 < life.stops.size() ? life.stops[stop + 1].kernel
                                      : life.end + 1;
}

void LifeSearch::Start(const std::vector<double>& ns,
                       TierCharges& charges) const {
  charges.clear();
  for (const double tier_ns : ns) charges.emplace_back(tier_ns);
}

void LifeSearch::Add(int direction, int moment, TierCharges& charges) const {
  for (size_t slower = 0; slower < charges.size(); ++slower) {
    const LanePrice& lane = (*prices_->lane)[2 * slower + direction][moment];
    if (!charges[slower].Counts(lane.price)) continue;
    charges[slower].Add(lane.price, lane.fast_ns);
    charges[slower].Add(lane.over_price, kInfinite);
  }
}

bool LifeSearch::AreFree(const TierCharges& charges) {
  return std::all_of(
      charges.begin(), charges.end(),
      [](const CopyCharge& charge) { return charge.cost() <= 0; });
}

LifeCopy LifeSearch::Cheapest(const TierCharges& charges, int begin, int end) {
  LifeCopy best;
  for (size_t slower = 0; slower < charges.size(); ++slower) {
    const double cost = charges[slower].cost();
    if (cost < best.cost) best = {cost, begin, end, static_cast<int>(slower)};
  }
  return best;
}

const std::vector<LaneCharge>& LifeSearch::Charges(const LifeCopy& copy,
                                                   int direction,
                                                   double copy_ns,
                                                   const LifePrices& prices) {
  const std::vector<LanePrice>& lane = (*prices.lane)[Lane(copy, direction)];
  // Among moments that cost the same, a copy out takes the first and a copy in
  // the last.
  const auto for_each = [&](auto look_at) {
    for (int i = 0; i <= copy.end - copy.begin; ++i) {
      const int m = direction == 0 ? copy.begin + i : copy.end - i;
      if (!look_at(m, false, lane[m].price, lane[m].fast_ns)) return;
      if (!look_at(m, true, lane[m].over_price, kInfinite)) return;
    }
  };
  CopyCharge charge(copy_ns);
  for_each([&](int, bool, double price, double ns) {
    charge.Add(price, ns);
    return charge.cost() > 0;
  });
  lane_charges_.clear();
  double left_ns = copy_ns;
  const auto take = [&](int moment, bool is_over, double ns) {
    ns = std::min(ns, left_ns);
    if (ns <= 0) return;
    left_ns -= ns;
    lane_charges_.push_back({moment, ns, is_over});
  };
  for_each([&](int m, bool is_over, double price, double ns) {
    if (price < charge.highest_price()) take(m, is_over, ns);
    return charge.cost() > 0;
  });
  for_each([&](int m, bool is_over, double price, double ns) {
    if (price == charge.highest_price()) take(m, is_over, ns);
    return left_ns > 0;
  });
  if (left_ns > 0) lane_charges_.back().ns += left_ns;
  return lane_charges_;
}

// Follows the writes from the stop before up to the kernel of `stop`.
void LifeSearch::FollowWrites(const TensorLife& life, size_t stop) {
  const int first = Slice(life.stops[stop].kernel + 1);
  if (life.stops[stop].still) {
    written_ = 2 * first;
    Start(life.out_ns, written_out_);
    return;
  }
  const int from = Slice(life.stops[stop - 1].kernel + 1);
  for (int m = 2 * from; m < 2 * first && !AreFree(written_out_); ++m) {
    Add(0, m, written_out_);
  }
}

// Returns the cheapest copy in that began after the last write.
LifeCopy LifeSearch::BegunBefore(const TensorLife& life, int last) const {
  TierCharges charges;
  Start(life.in_ns, charges);
  for (int m = 2 * last; m >= written_; --m) {
    Add(1, m, charges);
    if (AreFree(charges)) break;
  }
  return Cheapest(charges, written_, 2 * last);
}

// Writes into `fetches_` what a fetch from each slice on costs, with the copy
// complete before the kernels of `last` run, and without room. Stops at the
// slice from which on the copy is free, since earlier ones only hold more room.
// Returns the first slice.
int LifeSearch::FindFetches(const TensorLife& life, int first, int last) {
  fetches_.clear();
  Start(life.in_ns, charges_);
  for (int s = last; s >= first; --s) {
    if (s < last) Add(1, 2 * s + 1, charges_);
    Add(1, 2 * s, charges_);
    fetches_.push_back(Cheapest(charges_, 2 * s, 2 * last));
    if (fetches_.back().cost <= 0) return s;
  }
  return first;
}

// Returns the passages between `stop` and the next one.
LifeSearch::Passages LifeSearch::Pass(const TensorLife& life, size_t stop) {
  const LifeStop& a = life.stops[stop];
  const int first = Slice(a.kernel + 1);
  const int last = Slice(NextKernel(life, stop));
  const bool crowded = a.fetch_after >= 0;
  const int leave_by = crowded ? std::min(Slice(a.leave_by), last) : last;
  const int fetch_from =
      crowded ? std::max(Slice(a.fetch_after + 1), first) : first;
  FollowWrites(life, stop);
  const int fetchable = FindFetches(life, fetch_from, last);
  Passages passages;
  passages.at[kSlow][kSlow] = {0, first, last, {}, {}};
  LifePassage& fetching = passages.at[kSlow][kFetched];
  LifePassage& leaving = passages.at[kFast][kSlow];
  LifePassage& returning = passages.at[kFast][kFetched];
  const double room = prices_->Room(first, last);
  int s = first;
  charges_ = written_out_;
  const auto leave = [&]() {
    Add(0, 2 * s, charges_);
    const LifeCopy out = Cheapest(charges_, written_, 2 * s);
    const double cost = out.cost + prices_->Room(first, s);
    if (cost < leaving.cost) leaving = {cost, s, last, out, {}};
    Add(0, 2 * s + 1, charges_);
    // A later copy only has more room to pay for.
    if (out.cost <= 0) s = leave_by;
    ++s;
  };
  for (int f = fetchable; f <= last; ++f) {
    while (s <= f && s <= leave_by) leave();
    const LifeCopy& in = fetches_[last - f];
    const double cost = in.cost + prices_->Room(f, last);
    if (cost < fetching.cost) fetching = {cost, first, f, {}, in};
    if (leaving.cost + cost < returning.cost) {
      returning = {leaving.cost + cost, leaving.left, f, leaving.out, in};
    }
  }
  while (s <= leave_by) leave();
  // A copy in may have begun before this stop, which reads the tensor
  // meanwhile.
  if (!crowded && !a.still && room < fetching.cost) {
    const LifeCopy in = BegunBefore(life, last);
    if (in.cost + room < fetching.cost) {
      fetching = {in.cost + room, first, first, {}, in};
    }
  }
  const LifePassage staying =
      crowded ? LifePassage{} : LifePassage{room, last, last, {}, {}};
  passages.at[kFast][kFast] = staying;
  passages.at[kFetched][kSlow] = passages.at[kSlow][kSlow];
  passages.at[kFetched][kFetched] =
      staying.cost < fetching.cost ? staying : fetching;
  return passages;
}

double LifeSearch::StopCost(const TensorLife& life, size_t i, bool fast) const {
  const LifeStop& stop = life.stops[i];
  if (fast && !stop.can_be_fast) return kInfinite;
  if (stop.kernel < 0) return 0;  // the end of the step before
  const int slice = Slice(stop.kernel);
  if (fast && stop.slow_ns == kInfinite) {
    return (prices_->byte_before[slice + 1] - prices_->byte_before[slice]) *
           prices_->bytes;
  }
  if (fast) return prices_->Room(slice, slice + 1);
  if (stop.slow_ns == kInfinite) return kInfinite;
  return prices_->kernel[slice] * stop.slow_ns -
         prices_->over_kernel[slice] * stop.most_slow_ns;
}

// Finds the cheapest way to each state at each stop, from a given beginning.
double LifeSearch::Solve(const TensorLife& life, State first) {
  const size_t count = life.stops.size();
  through_.assign(kStates * count, {});
  std::array<double, kStates> cost;
  cost.fill(kInfinite);
  cost[first] = StopCost(life, 0, first != kSlow);
  for (size_t i = 1; i < count; ++i) {
    std::array<double, kStates> next;
    next.fill(kInfinite);
    for (const State before : kAllStates) {
      for (const State after : kAllStates) {
        const double ns =
            cost[before] + passages_[i - 1].at[before][after].cost;
        const bool is_stale = after == kFetched && life.stops[i].still;
        const State at = is_stale ? kFast : after;
        if (ns >= next[at]) continue;
        next[at] = ns;
        through_[kStates * i + at] = {before, after};
      }
    }
    for (const State at : kAllStates) {
      next[at] += StopCost(life, i, at != kSlow);
    }
    cost = next;
  }
  if (life.cyclic) {
    last_ = first;
    return cost[first];
  }
  double best = kInfinite;
  for (const State last : kAllStates) {
    for (const State after : kAllStates) {
      const double ns = cost[last] + passages_[count - 1].at[last][after].cost;
      if (ns >= best) continue;
      best = ns;
      last_ = last;
      after_ = after;
    }
  }
  return best;
}

void LifeSearch::Trace(const TensorLife& life, double cost) {
  const size_t count = life.stops.size();
  found_.cost = cost;
  found_.fast.assign(count, last_ != kSlow);
  found_.passages.resize(life.cyclic ? count - 1 : count);
  if (!life.cyclic) {
    found_.passages.back() = passages_[count - 1].at[last_][after_];
  }
  State at = last_;
  for (size_t i = count - 1; i > 0; --i) {
    const auto [before, after] = through_[kStates * i + at];
    found_.fast[i - 1] = before != kSlow;
    found_.passages[i - 1] = passages_[i - 1].at[before][after];
    at = before;
  }
}

const CheapestLife& LifeSearch::Find(const TensorLife& life,
                                     const LifePrices& prices) {
  prices_ = &prices;
  passages_.clear();
  for (size_t i = 0; i + (life.cyclic ? 1 : 0) < life.stops.size(); ++i) {
    passages_.push_back(Pass(life, i));
  }
  const double slow = Solve(life, kSlow);
  const double fast = Solve(life, kFast);
  if (slow < fast) Solve(life, kSlow);
  Trace(life, std::min(slow, fast));
  return found_;
}

}  // namespace stowage::policies
