#include "policies/bound/bound_relaxation.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace stowage::policies {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::vector<KernelIndex> PricedKernels(const BoundTimeline& timeline) {
  std::vector<KernelIndex> kernels;
  for (size_t k = 0; k < timeline.slice.size(); ++k) {
    if (timeline.priced[timeline.slice[k]] >= 0) {
      kernels.push_back(static_cast<KernelIndex>(k));
    }
  }
  return kernels;
}

}  // namespace

BoundRelaxation::BoundRelaxation(const Graph& graph, const MemorySystem& system,
                                 int64_t fast_limit_bytes,
                                 const std::vector<double>& fast_ns, int priced,
                                 int blocks)
    : least_ns_(LeastKernelNs(graph, system)),
      timeline_(MakeBoundTimeline(graph, least_ns_, priced, blocks)),
      room_(FindKernelRoom(graph, system, fast_limit_bytes)),
      lives_(FindTensorLives(graph, system, room_)),
      lanes_(2 * (system.tier_count() - 1)),
      couplings_(FindLaneCouplings(system)),
      measures_(MakeRoomMeasures(graph, room_, PricedKernels(timeline_))),
      search_(timeline_, fast_ns) {}

BoundPrices BoundRelaxation::ZeroPrices() const {
  BoundPrices prices;
  prices.room.resize(measures_.there.size());
  prices.lane.assign(timeline_.busy_ns.size(),
                     std::vector<double>(lanes_ + 1 + couplings_.size()));
  prices.over.assign(slices(), std::vector<double>(lanes_));
  return prices;
}

BoundPrices BoundRelaxation::PricesOf(const BoundRelaxation& coarser,
                                      const BoundPrices& prices) const {
  const BoundTimeline& from = coarser.timeline_;
  BoundPrices mine = ZeroPrices();
  for (size_t k = 0; k < timeline_.slice.size(); ++k) {
    const int slice = timeline_.slice[k], old = from.slice[k];
    mine.lane[timeline_.block[slice]] = prices.lane[from.block[old]];
    mine.lane[timeline_.wait_block[slice]] = prices.lane[from.wait_block[old]];
    // A kernel whose room has a price is a slice of its own.
    if (from.priced[old] < 0) continue;
    mine.over[slice] = prices.over[old];
    if (timeline_.priced[slice] < 0) continue;
    std::copy_n(prices.room.begin() + from.priced[old] * kRoomMeasures,
                kRoomMeasures,
                mine.room.begin() + timeline_.priced[slice] * kRoomMeasures);
  }
  return mine;
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

bool BoundRelaxation::HasRoom() const {
  return std::all_of(room_.free_bytes.begin(), room_.free_bytes.end(),
                     [](int64_t bytes) { return bytes >= 0; });
}

int64_t BoundRelaxation::Work() const {
  int64_t work = 0;
  for (const TensorLife& life : lives_) {
    work += search_.Slice(life.end) - search_.Slice(life.begin) + 1 +
            2 * static_cast<int64_t>(life.stops.size());
  }
  return work;
}

BoundValue BoundRelaxation::Evaluate(const BoundPrices& prices) {
  prices_ = &prices;
  SpreadPrices();
  value_ = {.ascent = ZeroPrices()};
  held_bytes_.assign(2 * slices() + 1, 0);
  held_count_.assign(measures_.sizes.size(), held_bytes_);
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
  AddRoom();
  return std::move(value_);
}

// Writes into `before` the sums of prices for a tensor of counted size `size`.
void BoundRelaxation::SpreadRoom(size_t size,
                                 std::vector<double>& before) const {
  const std::vector<double>& taken = measures_.taken[size];
  before.assign(2 * slices() + 1, 0);
  std::vector<double> price(slices());
  for (int s = 0; s < slices(); ++s) {
    if (timeline_.priced[s] < 0) continue;
    const int r = timeline_.priced[s] * kRoomMeasures;
    for (int m = 0; m < kRoomMeasures; ++m) {
      price[s] += prices_->room[r + m] * taken[r + m];
    }
  }
  for (int s = 0; s < 2 * slices(); ++s) {
    before[s + 1] = before[s] + price[s % slices()];
  }
}

void BoundRelaxation::SpreadPrices() {
  const int count = 2 * slices();
  spread_.byte_before.assign(count + 1, 0);
  for (int s = 0; s < count; ++s) {
    const int priced = timeline_.priced[s % slices()];
    spread_.byte_before[s + 1] =
        spread_.byte_before[s] +
        (priced < 0 ? 0 : prices_->room[priced * kRoomMeasures]);
  }
  size_before_.resize(measures_.sizes.size());
  for (size_t i = 0; i < size_before_.size(); ++i) {
    SpreadRoom(i, size_before_[i]);
  }
  spread_.kernel.clear();
  spread_.over_kernel.clear();
  for (int s = 0; s < count; ++s) {
    const std::vector<double>& over = prices_->over[s % slices()];
    spread_.kernel.push_back(prices_->kernel(BlockOf(s)));
    spread_.over_kernel.push_back(
        std::accumulate(over.begin(), over.end(), 0.0));
  }
  SpreadLanes();
}

void BoundRelaxation::SpreadLanes() {
  const int moments = 4 * slices();
  for (const bool big : {false, true}) {
    std::vector<MomentPrices>& spread = spread_lane_[big];
    spread.resize(lanes_);
    for (int lane = 0; lane < lanes_; ++lane) {
      spread[lane].price.resize(moments);
      spread[lane].over_price.resize(moments);
      for (int moment = 0; moment < moments; ++moment) {
        const std::vector<double>& prices = prices_->lane[BlockAt(moment)];
        const double price = LanePrice(prices, lane, big);
        const double over =
            moment % 2 == 0 ? 0 : prices_->over[moment / 2 % slices()][lane];
        spread[lane].price[moment] = price;
        spread[lane].over_price[moment] = price + over;
      }
      GroupMoments(spread[lane]);
    }
  }
}

double BoundRelaxation::LanePrice(const std::vector<double>& prices, int lane,
                                  bool big) const {
  double price = prices[lane] + (big ? prices[lanes_] : 0);
  for (size_t i = 0; i < couplings_.size(); ++i) {
    price += couplings_[i].Of(lane) * prices[lanes_ + 1 + i];
  }
  return price;
}

void BoundRelaxation::LookAt(size_t life) {
  spread_.bytes = lives_[life].bytes;
  size_ = measures_.size_of[life];
  spread_.room_before = size_ < 0 ? &spread_.byte_before : &size_before_[size_];
  spread_.room_factor = size_ < 0 ? spread_.bytes : 1;
  spread_.lane = &spread_lane_[IsBig(lives_[life])];
}

// Adds room that is held. Fixed room takes bytes alone, since counts measure
// what it leaves.
void BoundRelaxation::Hold(int begin, int end, bool is_fixed) {
  if (begin >= end) return;
  held_bytes_[begin] += spread_.bytes;
  held_bytes_[end] -= spread_.bytes;
  if (size_ < 0 || is_fixed) return;
  ++held_count_[size_][begin];
  --held_count_[size_][end];
}

// Adds to the slopes of room what was held. Bytes and counts are integers, so
// that the sums are exact in whatever order.
void BoundRelaxation::AddRoom() {
  const auto for_each_price = [&](const std::vector<double>& held, auto add) {
    double sum = 0;
    for (int s = 0; s < 2 * slices(); ++s) {
      sum += held[s];
      const int priced = timeline_.priced[s % slices()];
      if (priced >= 0 && sum != 0) add(priced * kRoomMeasures, sum);
    }
  };
  for_each_price(held_bytes_,
                 [&](int r, double bytes) { value_.ascent.room[r] += bytes; });
  for (size_t size = 0; size < held_count_.size(); ++size) {
    const std::vector<double>& taken = measures_.taken[size];
    for_each_price(held_count_[size], [&](int r, double count) {
      for (int m = 1; m < kRoomMeasures; ++m) {
        value_.ascent.room[r + m] += count * taken[r + m];
      }
    });
  }
}

void BoundRelaxation::AddLife(const TensorLife& life) {
  const CheapestLife& found = search_.Find(life, spread_);
  value_.bound_ns += found.cost;
  for (size_t i = 0; i < life.stops.size(); ++i) {
    AddStop(life.stops[i], found.fast[i]);
  }
  for (size_t i = 0; i < found.passages.size(); ++i) {
    const LifePassage& passage = found.passages[i];
    AddCopy(life, kCopyOut, passage.out);
    AddCopy(life, kCopyIn, passage.in);
    Hold(search_.Slice(life.stops[i].kernel + 1), passage.left, false);
    Hold(passage.fetched, search_.Slice(PassageSearch::NextKernel(life, i)),
         false);
  }
}

void BoundRelaxation::AddHeld(const TensorLife& life) {
  const int begin = search_.Slice(life.begin);
  const int end = search_.Slice(life.end) + 1;
  Hold(begin, end, true);
  value_.bound_ns +=
      (spread_.byte_before[end] - spread_.byte_before[begin]) * spread_.bytes;
}

void BoundRelaxation::AddStop(const LifeStop& stop, bool fast) {
  if (stop.kernel < 0) return;
  const int slice = search_.Slice(stop.kernel);
  if (fast) return Hold(slice, slice + 1, stop.slow_ns == kInfinite);
  for (double& lane : value_.ascent.lane[BlockOf(slice)]) {
    lane -= stop.slow_ns;
  }
  for (double& over : value_.ascent.over[slice % slices()]) {
    over -= stop.most_slow_ns;
  }
}

void BoundRelaxation::AddCopy(const TensorLife& life, CopyDirection direction,
                              const LifeCopy& copy) {
  if (copy.cost == kInfinite) return;
  const int lane = LaneOf(copy, direction);
  const std::vector<double>& ns =
      direction == kCopyOut ? life.out_ns : life.in_ns;
  for (const LaneCharge& charge :
       search_.Charges(copy, direction, ns[copy.slower], spread_)) {
    std::vector<double>& lanes = value_.ascent.lane[BlockAt(charge.moment)];
    lanes[lane] += charge.ns;
    if (IsBig(life)) lanes[lanes_] += charge.ns;
    for (size_t i = 0; i < couplings_.size(); ++i) {
      lanes[lanes_ + 1 + i] += couplings_[i].Of(lane) * charge.ns;
    }
    if (!charge.is_over) continue;
    value_.ascent.over[charge.moment / 2 % slices()][lane] += charge.ns;
  }
}

}  // namespace stowage::policies
