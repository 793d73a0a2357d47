#include "policies/stow/segment_neighbour.h"

#include <algorithm>
#include <utility>

#include "policies/model/liveness.h"

namespace stowage {
namespace {

// Boundaries that most changes of a copy's time span at most.
constexpr int kNearby = 3;

int Below(std::mt19937_64& random, size_t count) {
  return static_cast<int>(random() % count);
}

// Whether any of `kernels`, ascending, is in begin .. end-1.
bool AnyWithin(const std::vector<KernelIndex>& kernels, KernelIndex begin,
               KernelIndex end) {
  const auto at = std::lower_bound(kernels.begin(), kernels.end(), begin);
  return at != kernels.end() && *at < end;
}

}  // namespace

SegmentNeighbour::SegmentNeighbour(const Graph& graph, bool slow_uses,
                                   const std::vector<Stream>& streams)
    : kernels_(graph.kernel_count()),
      slow_uses_(slow_uses),
      lives_(graph.tensors.size()) {
  const auto uses = UsesByTensor(graph);
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    Life& life = lives_[t];
    life.uses.assign(uses[t].begin(), uses[t].end());
    life.fixed = !tensor.movable() || life.uses.empty();
    life.cyclic = tensor.alive_at_start();
    life.begin = life.cyclic ? 0 : tensor.birth_kernel;
    life.end = life.cyclic ? kernels_ + 1 : tensor.death_kernel + 1;
    // Two lives in one step are more than these changes know.
    if (tensor.wraps()) life.fixed = true;
  }
  for (const Stream& stream : streams) {
    for (const TensorIndex t : stream.tensors) lives_[t].fixed = true;
  }
  operands_.resize(graph.kernels.size());
  for (KernelIndex k = 0; k < kernels_; ++k) {
    for (const Operand& operand : graph.kernels[k].operands) {
      if (operand.write) lives_[operand.tensor].writes.push_back(k);
      if (!lives_[operand.tensor].fixed) operands_[k].push_back(operand.tensor);
    }
  }
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    if (!lives_[t].fixed) usable_.push_back(t);
  }
}

void SegmentNeighbour::Aim(const std::vector<int64_t>& lost_ns) {
  lost_before_ns_ = {0};
  for (const int64_t ns : lost_ns) {
    lost_before_ns_.push_back(lost_before_ns_.back() +
                              std::max<int64_t>(0, ns));
  }
}

bool SegmentNeighbour::Change(std::mt19937_64& random,
                              Segments& segments) const {
  if (segments.empty() || usable_.empty()) return false;
  const bool aims = !lost_before_ns_.empty() && lost_before_ns_.back() > 0;
  if (aims && random() % 2 == 0) return ChangeAimed(random, segments);
  if (random() % 12 > 0) {
    return ChangeSegment(random, segments, random() % segments.size());
  }
  const TensorIndex t = usable_[Below(random, usable_.size())];
  return Insert(random, segments, t, Below(random, lives_[t].uses.size()));
}

bool SegmentNeighbour::ChangeAimed(std::mt19937_64& random,
                                   Segments& segments) const {
  const auto drawn = static_cast<int64_t>(
      random() % static_cast<uint64_t>(lost_before_ns_.back()));
  const auto k = static_cast<KernelIndex>(
      std::upper_bound(lost_before_ns_.begin(), lost_before_ns_.end(), drawn) -
      lost_before_ns_.begin() - 1);
  if (operands_[k].empty()) return false;
  const TensorIndex t = operands_[k][Below(random, operands_[k].size())];
  const auto at = std::find_if(
      segments.begin(), segments.end(), [&](const FastSegment& segment) {
        return segment.tensor == t && segment.begin <= k && k < segment.end;
      });
  if (at != segments.end()) {
    return ChangeSegment(random, segments, at - segments.begin());
  }
  const auto& uses = lives_[t].uses;
  const auto use = std::lower_bound(uses.begin(), uses.end(), k);
  return Insert(random, segments, t, static_cast<int>(use - uses.begin()));
}

bool SegmentNeighbour::ChangeSegment(std::mt19937_64& random,
                                     Segments& segments, size_t s) const {
  const TensorIndex t = segments[s].tensor;
  if (lives_[t].fixed) return false;
  const uint64_t kind = random() % 11;
  bool changed = false;
  if (kind < 2) {
    changed = ChangeBegin(random, segments, s);
  } else if (kind < 4) {
    changed = ChangeLeave(random, segments, s);
  } else if (kind < 7) {
    changed = ChangeEnd(random, segments, s);
  } else if (kind < 8) {
    changed = ChangeReady(random, segments, s);
  } else if (kind < 9) {
    changed = Split(random, segments, s);
  } else if (kind < 10) {
    changed = JoinNext(segments, s);
  } else {
    changed = Remove(segments, s);
  }
  return changed && IsValid(segments, t);
}

KernelIndex SegmentNeighbour::Draw(std::mt19937_64& random, const Life& life,
                                   KernelIndex now) const {
  if (random() % 3 == 0) {
    return life.begin + Below(random, life.end - life.begin);
  }
  const KernelIndex change = Below(random, 2 * kNearby + 1) - kNearby;
  return std::clamp(now + change, life.begin, std::min(life.end, kernels_));
}

bool SegmentNeighbour::ChangeBegin(std::mt19937_64& random, Segments& segments,
                                   size_t s) const {
  FastSegment& segment = segments[s];
  if (!segment.moved_in) return false;
  segment.begin = Draw(random, lives_[segment.tensor], segment.begin);
  return true;
}

bool SegmentNeighbour::ChangeLeave(std::mt19937_64& random, Segments& segments,
                                   size_t s) const {
  FastSegment& segment = segments[s];
  if (!segment.moved_out) return false;
  segment.leave = Draw(random, lives_[segment.tensor], segment.leave);
  return true;
}

// The copy out moves along where uses are added or given up. What dies in the
// fast tier is not copied out.
bool SegmentNeighbour::ChangeEnd(std::mt19937_64& random, Segments& segments,
                                 size_t s) const {
  FastSegment& segment = segments[s];
  const Life& life = lives_[segment.tensor];
  if (!segment.moved_out && life.cyclic) return false;
  const KernelIndex before = segment.end;
  if (random() % 2 == 0 && segment.moved_out) {
    segment.end = Draw(random, life, before);
    segment.leave = std::min(segment.leave, segment.end);
    return true;
  }
  const KernelIndex last = life.uses[Below(random, life.uses.size())];
  if (!life.cyclic && last == life.uses.back()) {
    segment.leave = segment.end = life.end;
    segment.moved_out = false;
    return before != segment.end;
  }
  const KernelIndex length = segment.moved_out ? before - segment.leave : 1;
  segment.moved_out = true;
  segment.leave = last + 1;
  segment.end = segment.leave + std::max(1, length);
  return true;
}

// Likewise, and what is born in the fast tier is not copied in.
bool SegmentNeighbour::ChangeReady(std::mt19937_64& random, Segments& segments,
                                   size_t s) const {
  FastSegment& segment = segments[s];
  const Life& life = lives_[segment.tensor];
  if (!segment.moved_in && life.cyclic) return false;
  const KernelIndex before = segment.begin;
  if (random() % 2 == 0 && segment.moved_in) {
    segment.ready = Draw(random, life, segment.ready);
    segment.begin = std::min(segment.begin, segment.ready);
    return true;
  }
  const KernelIndex first = life.uses[Below(random, life.uses.size())];
  if (!life.cyclic && first == life.uses.front()) {
    segment.begin = segment.ready = life.begin;
    segment.moved_in = false;
    return before != segment.begin;
  }
  const KernelIndex length = segment.moved_in ? segment.ready - before : 1;
  segment.moved_in = true;
  segment.ready = first;
  segment.begin = first - std::max(1, length);
  return true;
}

bool SegmentNeighbour::Split(std::mt19937_64& random, Segments& segments,
                             size_t s) const {
  const FastSegment segment = segments[s];
  const Life& life = lives_[segment.tensor];
  const auto first =
      std::lower_bound(life.uses.begin(), life.uses.end(), segment.ready);
  const auto last = std::lower_bound(first, life.uses.end(), segment.end);
  if (last - first < 2) return false;
  const auto before = first + Below(random, last - first - 1);
  const KernelIndex from = *before + 1, to = *std::next(before);
  if (to <= from) return false;
  const KernelIndex left = from + Below(random, to - from + 1);
  const KernelIndex fetched = left + Below(random, to - left + 1);
  FastSegment second = segment;
  second.begin = fetched;
  second.ready = to;
  second.moved_in = true;
  segments[s].leave = from;
  segments[s].end = left;
  segments[s].moved_out = true;
  segments.insert(segments.begin() + static_cast<int64_t>(s) + 1, second);
  return true;
}

bool SegmentNeighbour::JoinNext(Segments& segments, size_t s) const {
  if (s + 1 == segments.size()) return false;
  const FastSegment& next = segments[s + 1];
  if (next.tensor != segments[s].tensor) return false;
  segments[s].leave = next.leave;
  segments[s].end = next.end;
  segments[s].moved_out = next.moved_out;
  segments.erase(segments.begin() + static_cast<int64_t>(s) + 1);
  return true;
}

bool SegmentNeighbour::Remove(Segments& segments, size_t s) const {
  const FastSegment& segment = segments[s];
  const bool across =
      lives_[segment.tensor].cyclic && !(segment.moved_in && segment.moved_out);
  if (!slow_uses_ || across) return false;
  segments.erase(segments.begin() + static_cast<int64_t>(s));
  return true;
}

// For use `first`, or several from there on, that are in the slower tier.
bool SegmentNeighbour::Insert(std::mt19937_64& random, Segments& segments,
                              TensorIndex t, int first) const {
  if (!slow_uses_) return false;
  const Life& life = lives_[t];
  const int last = std::min<int>(first + Below(random, 3),
                                 static_cast<int>(life.uses.size()) - 1);
  FastSegment segment{.tensor = t,
                      .begin = life.uses[first] - 1 - Below(random, kNearby),
                      .ready = life.uses[first],
                      .leave = life.uses[last] + 1,
                      .end = life.uses[last] + 2 + Below(random, kNearby),
                      .moved_in = true,
                      .moved_out = true};
  if (!life.cyclic && first == 0) {
    segment.begin = segment.ready = life.begin;
    segment.moved_in = false;
  }
  if (!life.cyclic && last + 1 == static_cast<int>(life.uses.size())) {
    segment.leave = segment.end = life.end;
    segment.moved_out = false;
  }
  const auto at = std::lower_bound(
      segments.begin(), segments.end(), segment,
      [](const FastSegment& a, const FastSegment& b) {
        return std::pair(a.tensor, a.begin) < std::pair(b.tensor, b.begin);
      });
  segments.insert(at, segment);
  return IsValid(segments, t);
}

bool SegmentNeighbour::IsValid(const Life& life,
                               const FastSegment& segment) const {
  if (segment.begin < life.begin || segment.end > life.end) return false;
  if (segment.begin > segment.ready || segment.ready > segment.leave ||
      segment.leave > segment.end || segment.ready >= segment.end) {
    return false;
  }
  // At one boundary copies out go before synchronous copies in, and both before
  // births.
  const bool arrives_late =
      segment.moved_in ? segment.begin == segment.ready : !life.cyclic;
  if (segment.moved_out && arrives_late && segment.leave <= segment.ready) {
    return false;
  }
  // Copies end within the step, and within the life.
  if (segment.moved_in && !life.cyclic && segment.begin <= life.begin) {
    return false;
  }
  if (segment.moved_out &&
      segment.end > (life.cyclic ? kernels_ : life.end - 1)) {
    return false;
  }
  return !(segment.moved_in &&
           AnyWithin(life.writes, segment.begin, segment.ready)) &&
         !(segment.moved_out &&
           AnyWithin(life.writes, segment.leave, segment.end));
}

bool SegmentNeighbour::IsValid(const Segments& segments, TensorIndex t) const {
  const auto by_tensor = [](const FastSegment& a, TensorIndex tensor) {
    return a.tensor < tensor;
  };
  const size_t first =
      std::lower_bound(segments.begin(), segments.end(), t, by_tensor) -
      segments.begin();
  size_t last = first;
  for (; last < segments.size() && segments[last].tensor == t; ++last) {
    if (!IsValid(lives_[t], segments[last])) return false;
    // Only the first one may begin, and only the last one end, without a copy.
    if (last == first) continue;
    if (!segments[last].moved_in || !segments[last - 1].moved_out) return false;
    if (segments[last - 1].end > segments[last].begin) return false;
  }
  return slow_uses_ || CoversUses(segments, first, last, lives_[t]);
}

bool SegmentNeighbour::CoversUses(const Segments& segments, size_t first,
                                  size_t last, const Life& life) const {
  size_t s = first;
  for (const KernelIndex use : life.uses) {
    while (s < last && segments[s].end <= use) ++s;
    if (s == last || use < segments[s].ready) return false;
  }
  return true;
}

}  // namespace stowage
