#include "policies/planning/lower_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "policies/model/implementations.h"
#include "policies/planning/address_layout.h"
#include "policies/planning/bound_timeline.h"
#include "policies/planning/tensor_life.h"

namespace stowage {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Sums of doubles err by less than this share.
constexpr double kRounding = 1e-9;

// What is maximised over. Lanes go by 2 x (slower tier - 1), in after out.
struct Prices {
  std::vector<double> room;               // by priced kernel, per byte
  std::vector<std::vector<double>> lane;  // by block, by lane; sums <= 1

  double kernel(int block) const {
    double share = 1;
    for (const double price : lane[block]) share -= price;
    return share;
  }
};

struct Value {
  double bound_ns = 0;
  Prices ascent;  // a supergradient
};

// A copy in the relaxation: what it costs, the block it runs in and its lane.
struct Copy {
  double cost = kInfinite;
  int block = 0;
  int lane = 0;
  double ns = 0;
};

// What happens between two stops of a tensor.
struct Passage {
  double cost = kInfinite;
  // Unrolled segments; room is held before `left` and from `fetched` on.
  int left = 0;
  int fetched = 0;
  Copy out;  // cost is infinite where there is none
  Copy in;
};

// Evaluates the Lagrangian and its supergradient. See docs/lower-bound.md.
class Relaxation {
 public:
  Relaxation(const Graph& graph, const MemorySystem& system,
             int64_t fast_limit_bytes)
      : step_(graph.kernel_count() + 1),
        least_ns_(LeastKernelNs(graph, system)),
        timeline_(MakeBoundTimeline(graph, least_ns_)),
        lives_(FindTensorLives(graph, system, fast_limit_bytes)),
        lanes_(2 * (system.tier_count() - 1)) {
    const int64_t capacity = system.tiers[kFastTier].capacity_bytes;
    if (capacity > 0) fast_limit_bytes = std::min(fast_limit_bytes, capacity);
    room_bytes_ = static_cast<double>(
        fast_limit_bytes - RoundUpToPlacement(graph.unmanaged_peak_bytes));
  }

  Prices ZeroPrices() const {
    Prices prices;
    prices.room.resize(timeline_.priced_count);
    prices.lane.assign(timeline_.busy_ns.size(), std::vector<double>(lanes_));
    return prices;
  }

  // What a byte of room is about worth: a copy out and in of it.
  double NsPerByte() const {
    double bytes = 0, ns = 0;
    for (const TensorLife& life : lives_) {
      if (!life.movable || life.out_ns.empty()) continue;
      bytes += life.bytes;
      ns += life.out_ns.front() + life.in_ns.front();
    }
    return bytes > 0 ? ns / bytes : 0;
  }

  Value Evaluate(const Prices& prices) {
    prices_ = &prices;
    value_ = {.ascent = ZeroPrices()};
    for (size_t b = 0; b < timeline_.busy_ns.size(); ++b) {
      value_.bound_ns += prices.kernel(b) * timeline_.busy_ns[b];
      for (double& lane : value_.ascent.lane[b]) lane -= timeline_.busy_ns[b];
    }
    for (size_t r = 0; r < prices.room.size(); ++r) {
      value_.bound_ns -= prices.room[r] * room_bytes_;
      value_.ascent.room[r] -= room_bytes_;
    }
    for (const TensorLife& life : lives_) {
      if (life.movable && !life.out_ns.empty()) {
        AddLife(life);
      } else {
        Hold(Segment(life.begin), Segment(life.end) + 1, life.bytes);
        value_.bound_ns +=
            RoomCost(Segment(life.begin), Segment(life.end) + 1, life.bytes);
      }
    }
    return std::move(value_);
  }

 private:
  int segments() const { return static_cast<int>(timeline_.block.size()); }

  // Of an unrolled kernel, itself unrolled.
  int Segment(KernelIndex k) const {
    int turn = 0;
    while (k < 0) {
      k += step_;
      --turn;
    }
    turn += k / step_;
    return turn * segments() + timeline_.segment[k % step_];
  }

  int Within(int segment) const {
    const int rest = segment % segments();
    return rest < 0 ? rest + segments() : rest;
  }
  int BlockOf(int segment) const { return timeline_.block[Within(segment)]; }

  double RoomPrice(int segment) const {
    const int priced = timeline_.priced[Within(segment)];
    return priced < 0 ? 0 : prices_->room[priced];
  }

  double RoomCost(int begin, int end, double bytes) const {
    double price = 0;
    for (int s = begin; s < end; ++s) price += RoomPrice(s);
    return price * bytes;
  }

  void Hold(int begin, int end, double bytes) {
    for (int s = begin; s < end; ++s) {
      const int priced = timeline_.priced[Within(s)];
      if (priced >= 0) value_.ascent.room[priced] += bytes;
    }
  }

  Copy CopyAt(const std::vector<double>& ns, int direction, int segment) const {
    const int block = BlockOf(segment);
    Copy best;
    for (size_t tier = 0; tier < ns.size(); ++tier) {
      const int lane = static_cast<int>(2 * tier) + direction;
      const double cost = ns[tier] * prices_->lane[block][lane];
      if (cost < best.cost) best = {cost, block, lane, ns[tier]};
    }
    return best;
  }

  Copy Cheapest(const std::vector<double>& ns, int direction, int first,
                int last) const {
    Copy best;
    int block = -1;
    for (int s = std::max(first, last - segments() + 1); s <= last; ++s) {
      if (BlockOf(s) == block) continue;
      block = BlockOf(s);
      const Copy copy = CopyAt(ns, direction, s);
      if (copy.cost < best.cost) best = copy;
    }
    return best;
  }

  // Between stop `a` and the kernel `to` (of the next stop, or behind the end
  // of life): fast or slow before and after.
  Passage Pass(const TensorLife& life, const LifeStop& a, KernelIndex to,
               bool fast_before, bool fast_after) const {
    const int first = Segment(a.kernel + 1);
    const int last = Segment(to);
    const int earliest = Segment(a.written + 1);
    Passage best{.left = last, .fetched = last};
    if (!fast_before && !fast_after) return {0, first, last, {}, {}};
    if (fast_before && fast_after) {
      best.cost = RoomCost(first, last, life.bytes);
      best.left = last;
      best.fetched = last;
    }
    if (!fast_before) {
      // A copy in may have begun before stop `a`, which reads what is copied.
      Copy in = Cheapest(life.in_ns, 1, std::min(earliest, first), last);
      best = {
          in.cost + RoomCost(first, last, life.bytes), first, first, {}, in};
    }
    // Sweep back to price copies in, forward to pair them with copies out.
    in_at_.resize(last - first + 1);
    Copy in;
    double room = 0;
    for (int s = last; s >= first; --s) {
      const Copy here = CopyAt(life.in_ns, 1, s);
      if (here.cost < in.cost) in = here;
      in_at_[s - first] = {in.cost + room, s, s, {}, in};
      if (s > first) room += RoomPrice(s - 1) * life.bytes;
    }
    if (!fast_before) {
      for (const Passage& passage : in_at_) {
        if (passage.cost < best.cost) {
          best = passage;
          best.left = first;
        }
      }
      return best;
    }
    Copy out = Cheapest(life.out_ns, 0, std::min(earliest, first), first);
    room = 0;
    Passage leaving;
    for (int s = first; s <= last; ++s) {
      const Copy here = CopyAt(life.out_ns, 0, s);
      if (here.cost < out.cost) out = here;
      if (out.cost + room < leaving.cost) {
        leaving = {out.cost + room, s, last, out, {}};
      }
      if (fast_after) {
        const Passage& back = in_at_[s - first];
        if (leaving.cost + back.cost < best.cost) {
          best = {leaving.cost + back.cost, leaving.left, s, leaving.out,
                  back.in};
        }
      }
      room += RoomPrice(s) * life.bytes;
    }
    if (fast_after || best.cost <= leaving.cost) return best;
    return leaving;
  }

  // The cheapest way to be fast or slow at each stop, from a given beginning.
  double Solve(const TensorLife& life, bool fast_at_first) {
    const size_t count = life.stops.size();
    before_.assign(2 * count, 0);
    double cost[2] = {kInfinite, kInfinite};
    cost[fast_at_first] = StopCost(life, 0, fast_at_first);
    for (size_t i = 1; i < count; ++i) {
      double next[2];
      for (const int after : {0, 1}) {
        next[after] = kInfinite;
        for (const int before : {0, 1}) {
          if (cost[before] == kInfinite) continue;
          const double through =
              cost[before] +
              Pass(life, life.stops[i - 1], life.stops[i].kernel, before, after)
                  .cost;
          if (through < next[after]) {
            next[after] = through;
            before_[2 * i + after] = before;
          }
        }
        next[after] += StopCost(life, i, after);
      }
      cost[0] = next[0];
      cost[1] = next[1];
    }
    double best = kInfinite;
    for (const int at_last : {0, 1}) {
      if (cost[at_last] == kInfinite) continue;
      for (const int after : {0, 1}) {
        if (life.cyclic && after != fast_at_first) continue;
        const double through =
            cost[at_last] + Ending(life, at_last, after).cost;
        if (through < best) {
          best = through;
          last_ = at_last;
          after_ = after;
        }
      }
    }
    return best;
  }

  Passage Ending(const TensorLife& life, bool fast_before,
                 bool fast_after) const {
    return Pass(life, life.stops.back(), EndOf(life), fast_before, fast_after);
  }

  // The kernel before which the last passage ends.
  KernelIndex EndOf(const TensorLife& life) const {
    return life.cyclic ? life.stops.front().kernel + step_ : life.end + 1;
  }

  double StopCost(const TensorLife& life, size_t i, bool fast) const {
    const LifeStop& stop = life.stops[i];
    const int segment = Segment(stop.kernel);
    if (fast) return RoomPrice(segment) * life.bytes;
    if (stop.slow_ns == kInfinite) return kInfinite;
    return prices_->kernel(BlockOf(segment)) * stop.slow_ns;
  }

  void AddLife(const TensorLife& life) {
    if (life.stops.empty()) return;  // persistent and unused: slow for free
    const double slow = Solve(life, false);
    const double fast = Solve(life, true);
    if (slow < fast) Solve(life, false);
    value_.bound_ns += std::min(slow, fast);
    Trace(life);
  }

  void Trace(const TensorLife& life) {
    const LifeStop& stop = life.stops.back();
    AddPassage(life, stop, EndOf(life), Ending(life, last_, after_));
    bool fast = last_;
    for (size_t i = life.stops.size(); i-- > 0;) {
      AddStop(life, i, fast);
      if (i == 0) break;
      const bool before = before_[2 * i + fast];
      const KernelIndex to = life.stops[i].kernel;
      AddPassage(life, life.stops[i - 1], to,
                 Pass(life, life.stops[i - 1], to, before, fast));
      fast = before;
    }
  }

  void AddStop(const TensorLife& life, size_t i, bool fast) {
    const LifeStop& stop = life.stops[i];
    const int segment = Segment(stop.kernel);
    if (fast) return Hold(segment, segment + 1, life.bytes);
    for (double& lane : value_.ascent.lane[BlockOf(segment)]) {
      lane -= stop.slow_ns;
    }
  }

  void AddPassage(const TensorLife& life, const LifeStop& stop, KernelIndex to,
                  const Passage& passage) {
    for (const Copy* copy : {&passage.out, &passage.in}) {
      if (copy->cost < kInfinite) {
        value_.ascent.lane[copy->block][copy->lane] += copy->ns;
      }
    }
    Hold(Segment(stop.kernel + 1), passage.left, life.bytes);
    Hold(passage.fetched, Segment(to), life.bytes);
  }

  const KernelIndex step_;
  const std::vector<double> least_ns_;
  const BoundTimeline timeline_;
  const std::vector<TensorLife> lives_;
  const int lanes_;
  double room_bytes_ = 0;
  const Prices* prices_ = nullptr;
  Value value_;
  mutable std::vector<Passage> in_at_;
  std::vector<int> before_;
  bool last_ = false;
  bool after_ = false;
};

// Onto prices that are not negative and leave kernels no negative share.
void Project(Prices& prices) {
  for (double& price : prices.room) price = std::max(0.0, price);
  for (std::vector<double>& lanes : prices.lane) {
    double sum = 0;
    for (double& price : lanes) {
      price = std::max(0.0, price);
      sum += price;
    }
    if (sum <= 1) continue;
    for (double& price : lanes) price /= sum * (1 + kRounding);
  }
}

// Polyak's steps towards a value that is a little above the best one known;
// nearer when that does not help.
class Ascent {
 public:
  Ascent(Relaxation& relaxation, Prices start)
      : relaxation_(relaxation),
        prices_(std::move(start)),
        room_scale_(relaxation.NsPerByte()) {}

  double Climb(int iterations) {
    double best_ns = 0;
    double aim = kFirstAim;
    int stuck = 0;
    Prices best = prices_;
    for (int i = 0; i < iterations; ++i) {
      const Value value = relaxation_.Evaluate(prices_);
      if (value.bound_ns > best_ns * (1 + 1e-4)) stuck = 0;
      if (value.bound_ns > best_ns) {
        best_ns = value.bound_ns;
        best = prices_;
      }
      if (++stuck > kPatience) {
        aim /= 2;
        if (aim < kLastAim) break;
        stuck = 0;
        prices_ = best;
        continue;
      }
      Step(value, best_ns * (1 + aim) - value.bound_ns);
    }
    return best_ns;
  }

 private:
  static constexpr double kFirstAim = 0.3;
  static constexpr double kLastAim = 0.0005;
  static constexpr int kPatience = 8;

  // Prices of room are counted in what copying costs, so that they and those
  // of lanes are alike.
  void Step(const Value& value, double missing_ns) {
    double norm = 0;
    for (const double g : value.ascent.room) {
      norm += g * room_scale_ * g * room_scale_;
    }
    for (const auto& lanes : value.ascent.lane) {
      for (const double g : lanes) norm += g * g;
    }
    if (norm <= 0) return;
    const double length = missing_ns / norm;
    for (size_t r = 0; r < prices_.room.size(); ++r) {
      prices_.room[r] +=
          length * value.ascent.room[r] * room_scale_ * room_scale_;
    }
    for (size_t b = 0; b < prices_.lane.size(); ++b) {
      for (size_t l = 0; l < prices_.lane[b].size(); ++l) {
        prices_.lane[b][l] += length * value.ascent.lane[b][l];
      }
    }
    Project(prices_);
  }

  Relaxation& relaxation_;
  Prices prices_;
  const double room_scale_;
};

}  // namespace

int64_t LowerBoundNs(const Graph& graph, const MemorySystem& system,
                     int64_t fast_limit_bytes, const LowerBoundEffort& effort) {
  if (HasAlternatives(graph)) {
    return LowerBoundNs(RelaxImplementations(graph, system), system,
                        fast_limit_bytes, effort);
  }
  Relaxation relaxation(graph, system, fast_limit_bytes);
  // Once from where only kernels cost, once from where lanes cost as much.
  double bound_ns = 0;
  for (const double lane_price : {0.0, 0.5}) {
    Prices start = relaxation.ZeroPrices();
    for (std::vector<double>& lanes : start.lane) {
      for (size_t lane = 0; lane < lanes.size() && lane < 2; ++lane) {
        lanes[lane] = lane_price / 2;
      }
    }
    bound_ns =
        std::max(bound_ns,
                 Ascent(relaxation, std::move(start)).Climb(effort.iterations));
  }
  return static_cast<int64_t>(std::floor(bound_ns * (1 - kRounding)));
}

}  // namespace stowage
