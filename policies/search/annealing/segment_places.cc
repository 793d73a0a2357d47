#include "policies/search/annealing/segment_places.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "policies/layout/address_layout.h"

namespace stowage {
namespace {

// What does not give way.
constexpr double kFixedWeight = 1e15;

bool SameTime(const FastSegment& a, const FastSegment& b) {
  return a.begin == b.begin && a.end == b.end;
}

// The stay that begins and ends with `stay`, or null.
const FastSegment* FindSameTime(const std::vector<FastSegment>& stays,
                                const FastSegment& stay) {
  const auto at = absl::c_find_if(
      stays, [&](const FastSegment& other) { return SameTime(stay, other); });
  return at == stays.end() ? nullptr : &*at;
}

}  // namespace

SegmentPlaces::SegmentPlaces(const Graph& graph, int64_t arena_bytes,
                             StaysByTensor stays)
    : graph_(graph),
      arena_bytes_(arena_bytes),
      stays_(std::move(stays)),
      index_(graph.kernel_count()) {
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    for (const FastSegment& stay : stays_[t]) Hold(t, stay);
  }
}

bool SegmentPlaces::Replace(absl::Span<const TensorIndex> changed,
                            const StaysByTensor& stays, const Effort& effort) {
  effort_ = effort;
  touched_.clear();
  before_.clear();
  waiting_.clear();
  displaced_ = 0;
  for (auto t = changed.rbegin(); t != changed.rend(); ++t) {
    SetStays(*t, stays[*t]);
    KeepOrWait(*t, stays[*t]);
  }
  if (PlaceWaiting()) return true;
  Restore();
  return false;
}

void SegmentPlaces::Return(const std::vector<StayChange>& before) {
  for (const StayChange& change : before) {
    for (FastSegment& stay : stays_[change.tensor]) {
      Release(change.tensor, stay);
    }
  }
  for (const StayChange& change : before) {
    stays_[change.tensor] = change.stays;
    for (const FastSegment& stay : change.stays) Hold(change.tensor, stay);
  }
}

int64_t SegmentPlaces::BytesOf(TensorIndex t) const {
  return RoundUpToPlacement(graph_.tensors[t].size_bytes);
}

// What is alive as the step begins and is there as it ends is in one place.
SegmentPlaces::Item SegmentPlaces::ItemOf(TensorIndex t, int stay) const {
  const Stays& stays = stays_[t];
  const int last = static_cast<int>(stays.size()) - 1;
  const bool crosses = last > 0 && !stays.front().moved_in &&
                       graph_.tensors[t].alive_at_start() &&
                       stays.back().end == graph_.kernel_count() + 1;
  if (crosses && (stay == 0 || stay == last)) {
    return {.tensor = t, .first = 0, .second = last};
  }
  return {.tensor = t, .first = stay};
}

Holding SegmentPlaces::HoldingOf(TensorIndex t, const FastSegment& stay) const {
  return {.tensor = t,
          .begin = stay.begin,
          .end = stay.end,
          .offset_bytes = stay.offset_bytes,
          .end_bytes = stay.offset_bytes + BytesOf(t)};
}

void SegmentPlaces::Hold(TensorIndex t, const FastSegment& stay) {
  if (stay.offset_bytes >= 0) index_.Hold(HoldingOf(t, stay));
}

void SegmentPlaces::Release(TensorIndex t, FastSegment& stay) {
  if (stay.offset_bytes >= 0) index_.Release(HoldingOf(t, stay));
  stay.offset_bytes = -1;
}

void SegmentPlaces::Release(const Item& item) {
  for (const int s : {item.first, item.second}) {
    if (s >= 0) Release(item.tensor, stays_[item.tensor][s]);
  }
}

void SegmentPlaces::Touch(TensorIndex t) {
  if (absl::c_linear_search(touched_, t)) return;
  touched_.push_back(t);
  before_.push_back(stays_[t]);
}

void SegmentPlaces::Restore() {
  const auto is_among = [](const Stays& stays, const FastSegment& stay) {
    const FastSegment* same = FindSameTime(stays, stay);
    return same != nullptr && same->offset_bytes == stay.offset_bytes;
  };
  for (size_t i = 0; i < touched_.size(); ++i) {
    const TensorIndex t = touched_[i];
    Stays now = std::exchange(stays_[t], std::move(before_[i]));
    const Stays placed = now;
    for (FastSegment& stay : now) {
      if (!is_among(stays_[t], stay)) Release(t, stay);
    }
    for (const FastSegment& stay : stays_[t]) {
      if (!is_among(placed, stay)) Hold(t, stay);
    }
  }
}

void SegmentPlaces::SetStays(TensorIndex t, const Stays& stays) {
  Touch(t);
  for (FastSegment& stay : stays_[t]) {
    if (FindSameTime(stays, stay) == nullptr) Release(t, stay);
  }
  const Stays before = std::exchange(stays_[t], stays);
  for (FastSegment& stay : stays_[t]) {
    const FastSegment* kept = FindSameTime(before, stay);
    stay.offset_bytes = kept == nullptr ? -1 : kept->offset_bytes;
  }
}

void SegmentPlaces::KeepOrWait(TensorIndex t, const Stays& wanted) {
  for (int s = 0; s < static_cast<int>(wanted.size()); ++s) {
    Item item = ItemOf(t, s);
    if (item.first != s) continue;
    FastSegment& stay = stays_[t][s];
    if (item.second >= 0 &&
        stays_[t][item.second].offset_bytes != stay.offset_bytes) {
      Release(item);
    }
    if (stay.offset_bytes >= 0) continue;
    item.wanted_bytes = wanted[s].offset_bytes;
    if (item.second < 0 && IsFreeAsBefore(t, wanted[s])) {
      stay.offset_bytes = item.wanted_bytes;
      Hold(t, stay);
    } else {
      waiting_.push_back(item);
    }
  }
}

// Only what the tensor did not hold before can be in its way.
bool SegmentPlaces::IsFreeAsBefore(TensorIndex t, const FastSegment& stay) {
  const Stays& before = before_.back();
  const auto was = absl::c_find_if(before, [&](const FastSegment& other) {
    return other.offset_bytes == stay.offset_bytes && other.begin < stay.end &&
           stay.begin < other.end;
  });
  if (was == before.end()) return false;
  obstacles_ = index_.Always();
  index_.FindObstacles(stay.begin, was->begin, effort_.obstacles, obstacles_);
  index_.FindObstacles(was->end, stay.end, effort_.obstacles, obstacles_);
  work_ += static_cast<int64_t>(obstacles_.size());
  return obstacles_.size() <= effort_.obstacles &&
         IsFree(stay.offset_bytes, BytesOf(t));
}

// Large ones first.
bool SegmentPlaces::PlaceWaiting() {
  while (!waiting_.empty()) {
    const auto largest =
        absl::c_max_element(waiting_, [&](const Item& a, const Item& b) {
          return BytesOf(a.tensor) < BytesOf(b.tensor);
        });
    const Item item = *largest;
    waiting_.erase(largest);
    if (!Place(item)) return false;
  }
  return true;
}

bool SegmentPlaces::Place(const Item& item) {
  const int64_t bytes = BytesOf(item.tensor);
  if (bytes > arena_bytes_ || !FindObstacles(item)) return false;
  int64_t offset = item.wanted_bytes;
  if (offset < 0 || !IsFree(offset, bytes)) offset = TightestHole(bytes);
  if (offset < 0) {
    if (displaced_ >= effort_.displaced) return false;
    offset = FindCheapest(bytes);
    if (offset < 0) return false;
    Displace(offset, bytes);
    if (displaced_ > effort_.displaced) return false;
  }
  for (const int s : {item.first, item.second}) {
    if (s < 0) continue;
    FastSegment& stay = stays_[item.tensor][s];
    stay.offset_bytes = offset;
    Hold(item.tensor, stay);
  }
  return true;
}

bool SegmentPlaces::FindObstacles(const Item& item) {
  obstacles_ = index_.Always();
  for (const int s : {item.first, item.second}) {
    if (s < 0) continue;
    const FastSegment& stay = stays_[item.tensor][s];
    index_.FindObstacles(stay.begin, stay.end, effort_.obstacles, obstacles_);
  }
  work_ += static_cast<int64_t>(obstacles_.size());
  return obstacles_.size() <= effort_.obstacles;
}

bool SegmentPlaces::IsFree(int64_t offset_bytes, int64_t bytes) const {
  return absl::c_none_of(obstacles_, [&](const Holding& other) {
    return other.offset_bytes < offset_bytes + bytes &&
           offset_bytes < other.end_bytes;
  });
}

// Sorts pages, begin and end in one number: twice as fast as what they are of.
int64_t SegmentPlaces::TightestHole(int64_t bytes) {
  constexpr int64_t kPage = kPlacementAlignmentBytes;
  spans_.clear();
  for (const Holding& other : obstacles_) {
    const auto begin = static_cast<uint64_t>(other.offset_bytes / kPage);
    const auto end =
        static_cast<uint64_t>((other.end_bytes + kPage - 1) / kPage);
    spans_.push_back(begin << 32 | end);
  }
  absl::c_sort(spans_);
  int64_t offset = -1;
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t from = 0;
  const auto look_at = [&](int64_t end) {
    if (end - from < bytes || end - from >= least) return;
    least = end - from;
    offset = from;
  };
  for (const uint64_t span : spans_) {
    look_at(static_cast<int64_t>(span >> 32) * kPage);
    from = std::max(from, static_cast<int64_t>(span & 0xffffffff) * kPage);
  }
  look_at(arena_bytes_);
  return offset;
}

int64_t SegmentPlaces::FindCheapest(int64_t bytes) {
  work_ += 2 * static_cast<int64_t>(obstacles_.size());
  search_.Begin(bytes, arena_bytes_);
  for (const Holding& other : obstacles_) {
    const bool fixed = other.tensor < 0 ||
                       absl::c_linear_search(touched_, other.tensor) ||
                       !graph_.tensors[other.tensor].movable();
    const auto own = static_cast<double>(other.end_bytes - other.offset_bytes);
    search_.AddObstacle(other.offset_bytes, other.end_bytes,
                        fixed ? kFixedWeight : own);
  }
  const CheapestOffset::Place place = search_.Find();
  return place.weight >= kFixedWeight ? -1 : place.offset_bytes;
}

void SegmentPlaces::Displace(int64_t offset_bytes, int64_t bytes) {
  for (const Holding& other : obstacles_) {
    if (other.end_bytes <= offset_bytes ||
        offset_bytes + bytes <= other.offset_bytes) {
      continue;
    }
    const Stays& stays = stays_[other.tensor];
    const auto at = absl::c_find_if(stays, [&](const FastSegment& stay) {
      return stay.begin == other.begin;
    });
    // An obstacle may be listed twice.
    if (at->offset_bytes < 0) continue;
    Touch(other.tensor);
    ++displaced_;
    waiting_.push_back(
        ItemOf(other.tensor, static_cast<int>(at - stays.begin())));
    Release(waiting_.back());
  }
}

}  // namespace stowage
