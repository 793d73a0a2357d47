#include "policies/search/annealing/residency_places.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "policies/layout/address_layout.h"

namespace stowage::policies {
namespace {

// The weight of residencies that do not give way.
constexpr double kFixedWeight = 1e15;

bool SameTime(const Residency& a, const Residency& b) {
  return a.begin == b.begin && a.end == b.end;
}

// Returns the residency that begins and ends with `residency`, or null.
const Residency* FindSameTime(const std::vector<Residency>& residencies,
                              const Residency& residency) {
  const auto at = absl::c_find_if(residencies, [&](const Residency& other) {
    return SameTime(residency, other);
  });
  return at == residencies.end() ? nullptr : &*at;
}

}  // namespace

ResidencyPlaces::ResidencyPlaces(const Graph& graph, int64_t arena_bytes,
                                 ResidenciesByTensor residencies)
    : graph_(graph),
      arena_bytes_(arena_bytes),
      residencies_(std::move(residencies)),
      index_(graph.kernel_count()) {
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    for (const Residency& residency : residencies_[t]) Hold(t, residency);
  }
}

bool ResidencyPlaces::Replace(absl::Span<const TensorIndex> changed,
                              const ResidenciesByTensor& residencies,
                              const Effort& effort) {
  effort_ = effort;
  touched_.clear();
  before_.clear();
  waiting_.clear();
  displaced_ = 0;
  for (auto t = changed.rbegin(); t != changed.rend(); ++t) {
    SetResidencies(*t, residencies[*t]);
    KeepOrWait(*t, residencies[*t]);
  }
  if (PlaceWaiting()) return true;
  Restore();
  return false;
}

void ResidencyPlaces::Return(const std::vector<ResidencyChange>& before) {
  for (const ResidencyChange& change : before) {
    for (Residency& residency : residencies_[change.tensor]) {
      Release(change.tensor, residency);
    }
  }
  for (const ResidencyChange& change : before) {
    residencies_[change.tensor] = change.residencies;
    for (const Residency& residency : change.residencies) {
      Hold(change.tensor, residency);
    }
  }
}

int64_t ResidencyPlaces::BytesOf(TensorIndex t) const {
  return RoundUpToPlacement(graph_.tensors[t].size_bytes);
}

// Returns the item of a residency. A tensor that is alive as the step begins
// and is there as it ends is in one place.
ResidencyPlaces::Item ResidencyPlaces::ItemOf(TensorIndex t,
                                              int residency) const {
  const Residencies& residencies = residencies_[t];
  const int last = static_cast<int>(residencies.size()) - 1;
  const bool crosses = last > 0 && !residencies.front().moved_in &&
                       graph_.tensors[t].alive_at_start() &&
                       residencies.back().end == graph_.kernel_count() + 1;
  if (crosses && (residency == 0 || residency == last)) {
    return {.tensor = t, .first = 0, .second = last};
  }
  return {.tensor = t, .first = residency};
}

Holding ResidencyPlaces::HoldingOf(TensorIndex t,
                                   const Residency& residency) const {
  return {.tensor = t,
          .begin = residency.begin,
          .end = residency.end,
          .offset_bytes = residency.offset_bytes,
          .end_bytes = residency.offset_bytes + BytesOf(t)};
}

void ResidencyPlaces::Hold(TensorIndex t, const Residency& residency) {
  if (residency.offset_bytes >= 0) index_.Hold(HoldingOf(t, residency));
}

void ResidencyPlaces::Release(TensorIndex t, Residency& residency) {
  if (residency.offset_bytes >= 0) index_.Release(HoldingOf(t, residency));
  residency.offset_bytes = -1;
}

void ResidencyPlaces::Release(const Item& item) {
  for (const int s : {item.first, item.second}) {
    if (s >= 0) Release(item.tensor, residencies_[item.tensor][s]);
  }
}

void ResidencyPlaces::Touch(TensorIndex t) {
  if (absl::c_linear_search(touched_, t)) return;
  touched_.push_back(t);
  before_.push_back(residencies_[t]);
}

void ResidencyPlaces::Restore() {
  const auto is_among = [](const Residencies& residencies,
                           const Residency& residency) {
    const Residency* same = FindSameTime(residencies, residency);
    return same != nullptr && same->offset_bytes == residency.offset_bytes;
  };
  for (size_t i = 0; i < touched_.size(); ++i) {
    const TensorIndex t = touched_[i];
    Residencies now = std::exchange(residencies_[t], std::move(before_[i]));
    const Residencies placed = now;
    for (Residency& residency : now) {
      if (!is_among(residencies_[t], residency)) Release(t, residency);
    }
    for (const Residency& residency : residencies_[t]) {
      if (!is_among(placed, residency)) Hold(t, residency);
    }
  }
}

void ResidencyPlaces::SetResidencies(TensorIndex t,
                                     const Residencies& residencies) {
  Touch(t);
  for (Residency& residency : residencies_[t]) {
    if (FindSameTime(residencies, residency) == nullptr) Release(t, residency);
  }
  const Residencies before = std::exchange(residencies_[t], residencies);
  for (Residency& residency : residencies_[t]) {
    const Residency* kept = FindSameTime(before, residency);
    residency.offset_bytes = kept == nullptr ? -1 : kept->offset_bytes;
  }
}

void ResidencyPlaces::KeepOrWait(TensorIndex t, const Residencies& wanted) {
  for (int s = 0; s < static_cast<int>(wanted.size()); ++s) {
    Item item = ItemOf(t, s);
    if (item.first != s) continue;
    Residency& residency = residencies_[t][s];
    if (item.second >= 0 &&
        residencies_[t][item.second].offset_bytes != residency.offset_bytes) {
      Release(item);
    }
    if (residency.offset_bytes >= 0) continue;
    item.wanted_bytes = wanted[s].offset_bytes;
    if (item.second < 0 && IsFreeAsBefore(t, wanted[s])) {
      residency.offset_bytes = item.wanted_bytes;
      Hold(t, residency);
    } else {
      waiting_.push_back(item);
    }
  }
}

// Returns whether the place is free. Only residencies where the tensor held
// nothing before can be in its way.
bool ResidencyPlaces::IsFreeAsBefore(TensorIndex t,
                                     const Residency& residency) {
  const Residencies& before = before_.back();
  const auto was = absl::c_find_if(before, [&](const Residency& other) {
    return other.offset_bytes == residency.offset_bytes &&
           other.begin < residency.end && residency.begin < other.end;
  });
  if (was == before.end()) return false;
  obstacles_ = index_.Always();
  index_.FindObstacles(residency.begin, was->begin, effort_.obstacles,
                       obstacles_);
  index_.FindObstacles(was->end, residency.end, effort_.obstacles, obstacles_);
  work_ += static_cast<int64_t>(obstacles_.size());
  return obstacles_.size() <= effort_.obstacles &&
         IsFree(residency.offset_bytes, BytesOf(t));
}

// Places waiting items, large ones first.
bool ResidencyPlaces::PlaceWaiting() {
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

bool ResidencyPlaces::Place(const Item& item) {
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
    Residency& residency = residencies_[item.tensor][s];
    residency.offset_bytes = offset;
    Hold(item.tensor, residency);
  }
  return true;
}

bool ResidencyPlaces::FindObstacles(const Item& item) {
  obstacles_ = index_.Always();
  for (const int s : {item.first, item.second}) {
    if (s < 0) continue;
    const Residency& residency = residencies_[item.tensor][s];
    index_.FindObstacles(residency.begin, residency.end, effort_.obstacles,
                         obstacles_);
  }
  work_ += static_cast<int64_t>(obstacles_.size());
  return obstacles_.size() <= effort_.obstacles;
}

bool ResidencyPlaces::IsFree(int64_t offset_bytes, int64_t bytes) const {
  return absl::c_none_of(obstacles_, [&](const Holding& other) {
    return other.offset_bytes < offset_bytes + bytes &&
           offset_bytes < other.end_bytes;
  });
}

// Sorts page, begin and end in one number, which is twice as fast as sorting
// structs.
int64_t ResidencyPlaces::TightestHole(int64_t bytes) {
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

int64_t ResidencyPlaces::FindCheapest(int64_t bytes) {
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

void ResidencyPlaces::Displace(int64_t offset_bytes, int64_t bytes) {
  for (const Holding& other : obstacles_) {
    if (other.end_bytes <= offset_bytes ||
        offset_bytes + bytes <= other.offset_bytes) {
      continue;
    }
    const Residencies& residencies = residencies_[other.tensor];
    const auto at =
        absl::c_find_if(residencies, [&](const Residency& residency) {
          return residency.begin == other.begin;
        });
    // An obstacle may be listed twice.
    if (at->offset_bytes < 0) continue;
    Touch(other.tensor);
    ++displaced_;
    waiting_.push_back(
        ItemOf(other.tensor, static_cast<int>(at - residencies.begin())));
    Release(waiting_.back());
  }
}

}  // namespace stowage::policies
