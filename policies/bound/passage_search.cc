#include "policies/bound/passage_search.h"

#include <algorithm>

namespace stowage::policies {
namespace {

// The most slices that are looked at before room is compared again.
constexpr int kLookAhead = 16;

// Returns the first of `begin` to `end`, in which `cost` does not rise, with
// the cost of `end`.
template <typename Cost>
int FirstOfCost(int begin, int end, const Cost& cost) {
  const double least = cost(end);
  if (begin == end || cost(end - 1) > least) return end;
  if (cost(begin) <= least) return begin;
  while (begin < end) {
    const int middle = begin + (end - begin) / 2;
    if (cost(middle) <= least) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return end;
}

}  // namespace

PassageSearch::PassageSearch(const std::vector<int>& slice,
                             const std::vector<double>& fast_ns)
    : slice_(slice),
      written_out_(fast_ns, kCopyOut),
      out_(fast_ns, kCopyOut),
      in_(fast_ns, kCopyIn) {}

void PassageSearch::Start(const TensorLife& life, const LifePrices& prices) {
  life_ = &life;
  prices_ = &prices;
}

KernelIndex PassageSearch::NextKernel(const TensorLife& life, size_t stop) {
  return stop + 1 < life.stops.size() ? life.stops[stop + 1].kernel
                                      : life.end + 1;
}

PassageSearch::Window PassageSearch::WindowOf(size_t stop) const {
  const LifeStop& a = life_->stops[stop];
  Window window{.first = slice_[a.kernel + 1],
                .last = slice_[NextKernel(*life_, stop)]};
  const bool crowded = a.fetch_after >= 0;
  window.leave_by =
      crowded ? std::min(slice_[a.leave_by], window.last) : window.last;
  window.fetch_from = crowded
                          ? std::max(slice_[a.fetch_after + 1], window.first)
                          : window.first;
  return window;
}

// Follows the writes from the stop before up to the kernel of `stop`.
void PassageSearch::FollowWrites(size_t stop) {
  const int end = 2 * slice_[life_->stops[stop].kernel + 1];
  if (life_->stops[stop].still) {
    written_ = end;
    written_out_.Start(*prices_->lane, life_->out_ns);
    return;
  }
  const int begin = 2 * slice_[life_->stops[stop - 1].kernel + 1];
  for (int m = written_out_.First(begin, end);
       m < end && !written_out_.AreFree(); m = written_out_.First(m + 1, end)) {
    written_out_.Add(m);
  }
}

// Finds the cheapest way to leave by each slice.
void PassageSearch::FindLeaving(const Window& window) {
  leaving_.clear();
  out_ = written_out_;
  for (int s = window.first; s <= window.leave_by;) {
    const double room = prices_->Room(window.first, s);
    if (!leaving_.empty() && room >= leaving_.back().cost) break;
    out_.Add(2 * s);
    const LifeCopy out = out_.Cheapest(written_, 2 * s);
    const double cost = out.cost + room;
    if (leaving_.empty() || cost < leaving_.back().cost) {
      leaving_.push_back({cost, s, window.last, out, {}});
    }
    // A later copy only has more room to pay for.
    if (out.cost <= 0) break;
    const int moment = out_.First(
        2 * s + 1, 2 * std::min(s + kLookAhead, window.leave_by) + 1);
    if (moment % 2 == 1) out_.Add(moment);
    s = (moment + 1) / 2;
  }
}

// Returns the cheapest way to leave by `slice`.
const LifePassage& PassageSearch::LeavingBy(int slice) const {
  auto leaving = leaving_.end() - 1;
  while (leaving->left > slice) --leaving;
  return *leaving;
}

// Considers the fetches from `begin` to `end` on, which cost the same. Of those
// that cost the same with their room, the first counts.
void PassageSearch::Fetch(const Window& window, int begin, int end, LifeCopy in,
                          Passages& found) const {
  const auto fetching = [&](int f) {
    return in.cost + prices_->Room(f, window.last);
  };
  const auto returning = [&](int f) { return LeavingBy(f).cost + fetching(f); };
  if (fetching(end) <= found.fetching.cost) {
    const int f = FirstOfCost(begin, end, fetching);
    in.begin = 2 * f;
    found.fetching = {fetching(f), window.first, f, {}, in};
  }
  if (!leaving_.empty() && returning(end) <= found.returning.cost) {
    const int f = FirstOfCost(begin, end, returning);
    const LifePassage& leaving = LeavingBy(f);
    in.begin = 2 * f;
    found.returning = {returning(f), leaving.left, f, leaving.out, in};
  }
}

// Finds the cheapest fetches. Returns the first moment that was looked at.
int PassageSearch::FindFetching(const Window& window, Passages& found) {
  in_.Start(*prices_->lane, life_->in_ns);
  int begin = window.last + 1;
  while (begin > window.fetch_from) {
    const int f = begin - 1;
    const double room = prices_->Room(f, window.last);
    if (room > found.fetching.cost &&
        (leaving_.empty() ||
         leaving_.back().cost + room > found.returning.cost)) {
      break;
    }
    if (f < window.last) in_.Add(2 * f + 1);
    in_.Add(2 * f);
    const LifeCopy in = in_.Cheapest(2 * f, 2 * window.last);
    // Earlier copies only hold more room.
    const bool is_free = in.cost <= 0;
    const int from = std::max(f - kLookAhead, window.fetch_from);
    begin = is_free ? f : (in_.Last(2 * from, 2 * f) + 2) / 2;
    Fetch(window, begin, f, in, found);
    if (is_free) break;
  }
  return 2 * begin;
}

// Returns the cheapest copy in that began after the last write. The moments
// from `moment` on have been charged.
LifeCopy PassageSearch::BegunBefore(int moment, int last) {
  for (moment = in_.Last(written_, moment);
       moment >= written_ && !in_.AreFree();
       moment = in_.Last(written_, moment)) {
    in_.Add(moment);
  }
  return in_.Cheapest(written_, 2 * last);
}

void PassageSearch::Find(size_t stop, const WantedPassages& wanted,
                         Passages& found) {
  const LifeStop& a = life_->stops[stop];
  const Window window = WindowOf(stop);
  const double room = prices_->Room(window.first, window.last);
  FollowWrites(stop);
  leaving_.clear();
  if (wanted.from_fast) FindLeaving(window);
  found = {};
  found.away = {0, window.first, window.last, {}, {}};
  if (wanted.from_fast) found.leaving = leaving_.back();
  const int moment = FindFetching(window, found);
  const bool crowded = a.fetch_after >= 0;
  if (!crowded) found.staying = {room, window.last, window.last, {}, {}};
  // A copy in may have begun before this stop, which reads the tensor
  // meanwhile.
  if (wanted.from_slow && !crowded && !a.still && room < found.fetching.cost) {
    const LifeCopy in = BegunBefore(moment, window.last);
    if (in.cost + room < found.fetching.cost) {
      found.fetching = {in.cost + room, window.first, window.first, {}, in};
    }
  }
  found.keeping =
      found.staying.cost < found.fetching.cost ? found.staying : found.fetching;
}

}  // namespace stowage::policies
