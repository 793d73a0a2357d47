#include "policies/bound/life_search.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stowage::policies {

LifeSearch::LifeSearch(const BoundTimeline& timeline,
                       const std::vector<double>& fast_ns)
    : passage_search_(slice_, fast_ns_) {
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

const std::vector<LaneCharge>& LifeSearch::Charges(const LifeCopy& copy,
                                                   CopyDirection direction,
                                                   double copy_ns,
                                                   const LifePrices& prices) {
  const MomentPrices& lane = (*prices.lane)[LaneOf(copy, direction)];
  // Among moments that cost the same, a copy out takes the first and a copy in
  // the last.
  const auto next = [&](int moment, double limit) {
    return direction == kCopyOut
               ? FirstBelow(lane, limit, moment + 1, copy.end + 1)
               : LastBelow(lane, limit, copy.begin, moment);
  };
  const auto is_last = [&](int moment) {
    return moment < copy.begin || moment > copy.end;
  };
  const int start = direction == kCopyOut ? copy.begin - 1 : copy.end + 1;
  CopyCharge charge(copy_ns);
  for (int m = next(start, kInfinite); !is_last(m) && charge.cost() > 0;
       m = next(m, charge.highest_price())) {
    charge.Add(lane.price[m], fast_ns_[m]);
    charge.Add(lane.over_price[m], kInfinite);
  }
  lane_charges_.clear();
  const double highest = charge.highest_price();
  double left_ns = copy_ns;
  const auto take = [&](int moment, bool is_over, double ns) {
    ns = std::min(ns, left_ns);
    if (ns <= 0) return;
    left_ns -= ns;
    lane_charges_.push_back({moment, ns, is_over});
  };
  for (int m = next(start, highest); !is_last(m); m = next(m, highest)) {
    take(m, false, fast_ns_[m]);
    if (lane.over_price[m] < highest) take(m, true, kInfinite);
  }
  const double above = std::nextafter(highest, kInfinite);
  for (int m = next(start, above); !is_last(m) && left_ns > 0;
       m = next(m, above)) {
    if (lane.price[m] == highest) take(m, false, fast_ns_[m]);
    if (lane.over_price[m] == highest) take(m, true, kInfinite);
  }
  if (left_ns > 0) lane_charges_.back().ns += left_ns;
  return lane_charges_;
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

// Begins a way with a state at the first stop.
void LifeSearch::Begin(const TensorLife& life, State first, Way& way) const {
  way.through.assign(kStates * life.stops.size(), nullptr);
  way.at.fill(kInfinite);
  way.at[first] = StopCost(life, 0, first != kSlow);
}

// Returns which passages may be part of a cheapest way. What was fetched can do
// whatever else a tensor can that is slow or fast, for no more.
WantedPassages LifeSearch::Wanted() const {
  WantedPassages wanted{.from_slow = false, .from_fast = false};
  for (const Way* way : {&slow_, &fast_}) {
    const double fetched = way->at[kFetched];
    const auto matters = [&](double ns) {
      return ns < kInfinite && ns <= fetched;
    };
    wanted.from_slow |= matters(way->at[kSlow]);
    wanted.from_fast |= matters(way->at[kFast]);
  }
  return wanted;
}

// Goes on to stop `i`.
void LifeSearch::Follow(const TensorLife& life, size_t i) {
  const double slow = StopCost(life, i, false);
  const double fast = StopCost(life, i, true);
  for (Way* way : {&slow_, &fast_}) {
    // A kernel that needs the tensor ends the way that begins slow.
    if (*std::min_element(way->at.begin(), way->at.end()) == kInfinite)
      continue;
    Follow(life, i, slow, fast, *way);
  }
}

// Finds the cheapest way to each state at stop `i`, which costs `slow` or
// `fast`.
void LifeSearch::Follow(const TensorLife& life, size_t i, double slow,
                        double fast, Way& way) const {
  std::array<double, kStates> next;
  next.fill(kInfinite);
  for (const Transition& transition : kTransitions) {
    const double ns =
        way.at[transition.before] + (passages_[i - 1].*transition.passage).cost;
    const bool is_stale = transition.after == kFetched && life.stops[i].still;
    const State at = is_stale ? kFast : transition.after;
    if (ns >= next[at]) continue;
    next[at] = ns;
    way.through[kStates * i + at] = &transition;
  }
  for (const State at : kAllStates) next[at] += at == kSlow ? slow : fast;
  way.at = next;
}

// Ends a way: in the state in which it began, or with the end of the life.
void LifeSearch::End(const TensorLife& life, State first, Way& way) const {
  way.last = first;
  way.cost = way.at[first];
  if (life.cyclic) return;
  way.cost = kInfinite;
  for (const Transition& transition : kTransitions) {
    const double ns =
        way.at[transition.before] +
        (passages_[life.stops.size() - 1].*transition.passage).cost;
    if (ns >= way.cost) continue;
    way.cost = ns;
    way.last = transition.before;
    way.end = &transition;
  }
}

void LifeSearch::Trace(const TensorLife& life, const Way& way) {
  const size_t count = life.stops.size();
  found_.cost = way.cost;
  found_.fast.assign(count, way.last != kSlow);
  found_.passages.resize(life.cyclic ? count - 1 : count);
  if (!life.cyclic) {
    found_.passages.back() = passages_[count - 1].*way.end->passage;
  }
  State at = way.last;
  for (size_t i = count - 1; i > 0; --i) {
    const Transition& transition = *way.through[kStates * i + at];
    found_.fast[i - 1] = transition.before != kSlow;
    found_.passages[i - 1] = passages_[i - 1].*transition.passage;
    at = transition.before;
  }
}

const CheapestLife& LifeSearch::Find(const TensorLife& life,
                                     const LifePrices& prices) {
  prices_ = &prices;
  passage_search_.Start(life, prices);
  const size_t count = life.stops.size() - (life.cyclic ? 1 : 0);
  passages_.resize(std::max(passages_.size(), count));
  Begin(life, kSlow, slow_);
  Begin(life, kFast, fast_);
  for (size_t i = 0; i < count; ++i) {
    passage_search_.Find(i, Wanted(), passages_[i]);
    if (i + 1 == life.stops.size()) break;
    Follow(life, i + 1);
  }
  End(life, kSlow, slow_);
  End(life, kFast, fast_);
  Trace(life, slow_.cost < fast_.cost ? slow_ : fast_);
  return found_;
}

}  // namespace stowage::policies
