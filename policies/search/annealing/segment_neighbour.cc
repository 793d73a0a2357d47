#include "policies/search/annealing/segment_neighbour.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "policies/model/liveness.h"
#include "policies/search/annealing/stay_splice.h"
#include "policies/search/annealing/step_crossing.h"

namespace stowage {
namespace {

// Boundaries that most changes of a copy's time span at most.
constexpr int kNearby = 3;

// New stays cover up to 2^0, 2^1 .. uses, each as likely, this many powers.
constexpr int kLengths = 8;

// What is smaller than the excess by this factor does not give way.
constexpr double kSmallest = 16;

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
      may_leave_slow_(slow_uses || !streams.empty()),
      drops_(graph),
      streams_at_(graph.kernels.size()),
      lives_(graph.tensors.size()),
      alive_(graph.kernels.size() + 1),
      bytes_(graph.tensors.size()) {
  const auto uses = UsesByTensor(graph);
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    Life& life = lives_[t];
    life.uses.assign(uses[t].begin(), uses[t].end());
    life.fixed = !tensor.movable() || life.uses.empty();
    life.cyclic = tensor.alive_at_start();
    life.begin = life.cyclic ? 0 : tensor.birth_kernel;
    life.end = life.cyclic ? kernels_ + 1 : tensor.death_kernel + 1;
    life.first_copy = life.cyclic ? 0 : life.begin + 1;
    life.last_copy = life.cyclic ? kernels_ : life.end - 1;
    // Two lives in one step are more than these changes know.
    if (tensor.wraps()) life.fixed = true;
  }
  for (const Stream& stream : streams) {
    if (slow_uses) {
      for (const TensorIndex t : stream.tensors) lives_[t].fixed = true;
    } else {
      streams_at_[stream.kernel] = true;
    }
  }
  operands_.resize(graph.kernels.size());
  for (KernelIndex k = 0; k < kernels_; ++k) {
    for (const Operand& operand : graph.kernels[k].operands) {
      if (operand.write) lives_[operand.tensor].writes.push_back(k);
      if (!lives_[operand.tensor].fixed) operands_[k].push_back(operand.tensor);
    }
  }
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    if (lives_[t].fixed) continue;
    usable_.push_back(t);
    bytes_[t] = static_cast<double>(graph.tensors[t].size_bytes);
  }
  IndexLives();
}

void SegmentNeighbour::IndexLives() {
  std::vector<TensorIndex> by_size = usable_;
  std::stable_sort(
      by_size.begin(), by_size.end(),
      [&](TensorIndex a, TensorIndex b) { return bytes_[a] > bytes_[b]; });
  for (const TensorIndex t : by_size) {
    if (lives_[t].cyclic) {
      cyclic_.push_back(t);
      continue;
    }
    for (KernelIndex b = lives_[t].begin; b < lives_[t].end; ++b) {
      alive_[b].push_back(t);
    }
  }
}

void SegmentNeighbour::Aim(KernelIndex first,
                           const std::vector<int64_t>& lost_ns, double share) {
  first_aimed_ = first;
  aimed_share_ = share;
  lost_before_ns_ = {0};
  for (const int64_t ns : lost_ns) {
    lost_before_ns_.push_back(lost_before_ns_.back() +
                              std::max<int64_t>(0, ns));
  }
}

std::optional<StayChange> SegmentNeighbour::Change(
    std::mt19937_64& random, const StaysByTensor& stays) const {
  if (usable_.empty()) return std::nullopt;
  const bool aims = !lost_before_ns_.empty() && lost_before_ns_.back() > 0;
  StayChange change;
  size_t s = 0;
  KernelIndex use = 0;
  if (aims && static_cast<double>(random() % 1024) < 1024 * aimed_share_) {
    const auto loser = DrawLoser(random);
    if (!loser.has_value()) return std::nullopt;
    std::tie(change.tensor, use) = *loser;
    change.stays = stays[change.tensor];
    while (s < change.stays.size() && change.stays[s].end <= use) ++s;
    if (s < change.stays.size() && use < change.stays[s].begin) {
      s = change.stays.size();
    }
  } else {
    change.tensor = usable_[Below(random, usable_.size())];
    change.stays = stays[change.tensor];
    const auto& uses = lives_[change.tensor].uses;
    use = uses[Below(random, uses.size())];
    const bool inserts = change.stays.empty() || random() % 12 == 0;
    s = inserts ? change.stays.size() : random() % change.stays.size();
  }
  const Life& life = lives_[change.tensor];
  bool changed = false;
  if (s < change.stays.size()) {
    changed = ChangeStay(random, life, change.stays, s);
  } else {
    const auto at = std::lower_bound(life.uses.begin(), life.uses.end(), use);
    changed = Insert(random, change.tensor, change.stays,
                     static_cast<int>(at - life.uses.begin()));
  }
  if (!changed) return std::nullopt;
  return Finish(random, std::move(change));
}

std::optional<StayChange> SegmentNeighbour::Finish(std::mt19937_64& random,
                                                   StayChange change) const {
  const Life& life = lives_[change.tensor];
  if (life.cyclic) {
    MendCrossing(random, life.uses, kernels_, change.stays);
  }
  drops_.EndAtDrops(change.stays);
  if (!IsValid(life, change.stays)) return std::nullopt;
  return change;
}

std::optional<std::pair<TensorIndex, KernelIndex>> SegmentNeighbour::DrawLoser(
    std::mt19937_64& random) const {
  const auto drawn = static_cast<int64_t>(
      random() % static_cast<uint64_t>(lost_before_ns_.back()));
  const auto k = static_cast<KernelIndex>(
      first_aimed_ - 1 +
      (std::upper_bound(lost_before_ns_.begin(), lost_before_ns_.end(), drawn) -
       lost_before_ns_.begin()));
  if (operands_[k].empty()) return std::nullopt;
  return std::pair(operands_[k][Below(random, operands_[k].size())], k);
}

std::optional<StayChange> SegmentNeighbour::Evict(std::mt19937_64& random,
                                                  const StaysByTensor& stays,
                                                  KernelIndex boundary,
                                                  const Span& span,
                                                  int64_t excess_bytes) const {
  const auto holder = DrawHolder(random, stays, boundary, excess_bytes);
  if (!holder.has_value()) return std::nullopt;
  const auto [t, s] = *holder;
  StayChange change{.tensor = t, .stays = stays[t]};
  const bool all = random() % 2 == 0;
  CutOut(random, lives_[t], all ? span : Span{boundary, boundary + 1},
         change.stays, s);
  return Finish(random, std::move(change));
}

// The smaller a stay is for the excess, the less likely.
std::optional<std::pair<TensorIndex, size_t>> SegmentNeighbour::DrawHolder(
    std::mt19937_64& random, const StaysByTensor& stays, KernelIndex boundary,
    int64_t excess_bytes) const {
  std::optional<std::pair<TensorIndex, size_t>> holder;
  double weights = 0;
  const auto look_at = [&](TensorIndex t) {
    for (size_t s = 0; s < stays[t].size(); ++s) {
      const FastSegment& stay = stays[t][s];
      if (boundary < stay.begin || stay.end <= boundary) continue;
      const double share = bytes_[t] / static_cast<double>(excess_bytes);
      const double weight = std::min(1.0, share * share);
      weights += weight;
      if (std::uniform_real_distribution<double>(0, weights)(random) < weight) {
        holder = {t, s};
      }
    }
  };
  for (const std::vector<TensorIndex>* some : {&cyclic_, &alive_[boundary]}) {
    for (const TensorIndex t : *some) {
      if (bytes_[t] * kSmallest < static_cast<double>(excess_bytes)) break;
      look_at(t);
    }
  }
  return holder;
}

// What is left holds room for uses before and behind `span`.
void SegmentNeighbour::CutOut(std::mt19937_64& random, const Life& life,
                              const Span& span, Stays& stays, size_t s) const {
  const FastSegment stay = stays[s];
  const auto first =
      std::lower_bound(life.uses.begin(), life.uses.end(), stay.ready);
  const auto last = std::lower_bound(first, life.uses.end(), stay.end);
  const auto from = std::lower_bound(first, last, span.begin);
  const auto to = std::lower_bound(from, last, span.end);
  Stays parts;
  if (from != first) {
    FastSegment before = stay;
    before.leave = *std::prev(from) + 1;
    before.end = before.leave + Below(random, span.begin - before.leave + 1);
    before.moved_out = true;
    parts.push_back(before);
  }
  if (to != last) {
    FastSegment after = stay;
    after.ready = *to;
    after.begin = span.end + Below(random, after.ready - span.end + 1);
    after.moved_in = true;
    parts.push_back(after);
  }
  const auto at = stays.erase(stays.begin() + static_cast<int64_t>(s));
  stays.insert(at, parts.begin(), parts.end());
}

bool SegmentNeighbour::ChangeStay(std::mt19937_64& random, const Life& life,
                                  Stays& stays, size_t s) const {
  const uint64_t kind = random() % 12;
  if (kind < 2) return ChangeBegin(random, life, stays[s]);
  if (kind < 4) return ChangeLeave(random, life, stays[s]);
  if (kind < 7) return ChangeEnd(random, life, stays[s]);
  if (kind < 8) return ChangeReady(random, life, stays[s]);
  if (kind < 9) return Split(random, life, stays, s);
  if (kind < 10) return JoinNext(stays, s);
  if (kind < 11) return Remove(stays, s);
  return life.cyclic && CrossOtherwise(random, life.uses, kernels_, stays);
}

KernelIndex SegmentNeighbour::Draw(std::mt19937_64& random, const Life& life,
                                   KernelIndex now) const {
  if (random() % 3 == 0) {
    return life.begin + Below(random, life.end - life.begin);
  }
  const KernelIndex change = Below(random, 2 * kNearby + 1) - kNearby;
  return std::clamp(now + change, life.begin, std::min(life.end, kernels_));
}

bool SegmentNeighbour::ChangeBegin(std::mt19937_64& random, const Life& life,
                                   FastSegment& stay) const {
  if (!stay.moved_in) return false;
  stay.begin = Draw(random, life, stay.begin);
  return true;
}

bool SegmentNeighbour::ChangeLeave(std::mt19937_64& random, const Life& life,
                                   FastSegment& stay) const {
  if (!stay.moved_out) return false;
  stay.leave = Draw(random, life, stay.leave);
  return true;
}

// The copy out moves along where uses are added or given up. What dies in the
// fast tier is not copied out.
bool SegmentNeighbour::ChangeEnd(std::mt19937_64& random, const Life& life,
                                 FastSegment& stay) const {
  if (!stay.moved_out && life.cyclic) return false;
  const KernelIndex before = stay.end;
  if (random() % 2 == 0 && stay.moved_out) {
    stay.end = Draw(random, life, before);
    stay.leave = std::min(stay.leave, stay.end);
    return true;
  }
  const KernelIndex last = life.uses[Below(random, life.uses.size())];
  if (!life.cyclic && last == life.uses.back()) {
    stay.leave = stay.end = life.end;
    stay.moved_out = false;
    return before != stay.end;
  }
  const KernelIndex length = stay.moved_out ? before - stay.leave : 1;
  stay.moved_out = true;
  stay.leave = last + 1;
  stay.end = std::min(stay.leave + std::max(1, length), life.last_copy);
  return true;
}

// Likewise, and what is born in the fast tier is not copied in.
bool SegmentNeighbour::ChangeReady(std::mt19937_64& random, const Life& life,
                                   FastSegment& stay) const {
  if (!stay.moved_in && life.cyclic) return false;
  const KernelIndex before = stay.begin;
  if (random() % 2 == 0 && stay.moved_in) {
    stay.ready = Draw(random, life, stay.ready);
    stay.begin = std::min(stay.begin, stay.ready);
    return true;
  }
  const KernelIndex first = life.uses[Below(random, life.uses.size())];
  if (!life.cyclic && first == life.uses.front()) {
    stay.begin = stay.ready = life.begin;
    stay.moved_in = false;
    return before != stay.begin;
  }
  const KernelIndex length = stay.moved_in ? stay.ready - before : 1;
  stay.moved_in = true;
  stay.ready = first;
  stay.begin = std::max(first - std::max(1, length), life.first_copy);
  return true;
}

bool SegmentNeighbour::Split(std::mt19937_64& random, const Life& life,
                             Stays& stays, size_t s) const {
  const auto first =
      std::lower_bound(life.uses.begin(), life.uses.end(), stays[s].ready);
  const auto last = std::lower_bound(first, life.uses.end(), stays[s].end);
  if (last - first < 2) return false;
  const auto before = first + Below(random, last - first - 1);
  const KernelIndex from = *before + 1, to = *std::next(before);
  if (to <= from) return false;
  const KernelIndex left = from + Below(random, to - from + 1);
  const KernelIndex fetched = left + Below(random, to - left + 1);
  FastSegment second = stays[s];
  second.begin = fetched;
  second.ready = to;
  second.moved_in = true;
  stays[s].leave = from;
  stays[s].end = left;
  stays[s].moved_out = true;
  stays.insert(stays.begin() + static_cast<int64_t>(s) + 1, second);
  return true;
}

bool SegmentNeighbour::JoinNext(Stays& stays, size_t s) const {
  if (s + 1 == stays.size()) return false;
  const FastSegment& next = stays[s + 1];
  stays[s].leave = next.leave;
  stays[s].end = next.end;
  stays[s].moved_out = next.moved_out;
  stays.erase(stays.begin() + static_cast<int64_t>(s) + 1);
  return true;
}

bool SegmentNeighbour::Remove(Stays& stays, size_t s) const {
  if (!may_leave_slow_) return false;
  stays.erase(stays.begin() + static_cast<int64_t>(s));
  return true;
}

bool SegmentNeighbour::Insert(std::mt19937_64& random, TensorIndex t,
                              Stays& stays, int first) const {
  if (!may_leave_slow_) return false;
  const Life& life = lives_[t];
  const int length = Below(random, size_t{1} << Below(random, kLengths));
  const int last =
      std::min<int>(first + length, static_cast<int>(life.uses.size()) - 1);
  FastSegment stay{
      .tensor = t,
      .begin = std::max(life.uses[first] - 1 - Below(random, kNearby),
                        life.first_copy),
      .ready = life.uses[first],
      .leave = life.uses[last] + 1,
      .end = std::min(life.uses[last] + 2 + Below(random, kNearby),
                      life.last_copy),
      .moved_in = true,
      .moved_out = true};
  if (!life.cyclic && first == 0) {
    stay.begin = stay.ready = life.begin;
    stay.moved_in = false;
  }
  if (!life.cyclic && last + 1 == static_cast<int>(life.uses.size())) {
    stay.leave = stay.end = life.end;
    stay.moved_out = false;
  }
  stays.insert(std::lower_bound(stays.begin(), stays.end(), stay,
                                [](const FastSegment& a, const FastSegment& b) {
                                  return a.begin < b.begin;
                                }),
               stay);
  return true;
}

std::optional<StayChange> SegmentNeighbour::Imitate(const TwinStretch& stretch,
                                                    TensorIndex t,
                                                    const Stays& own,
                                                    Stays twin) const {
  const Life& life = lives_[t];
  if (life.fixed) return std::nullopt;
  for (FastSegment& stay : twin) {
    stay.tensor = t;
    for (KernelIndex* b : {&stay.begin, &stay.ready, &stay.leave, &stay.end}) {
      *b -= stretch.shift;
    }
  }
  const auto [begin, end] = stretch.kernels;
  StayChange change{
      .tensor = t,
      .stays = SpliceStays(life.uses, SpliceStays(life.uses, own, twin, begin),
                           own, end)};
  drops_.EndAtDrops(change.stays);
  if (!IsValid(life, change.stays)) return std::nullopt;
  return change;
}

bool SegmentNeighbour::IsValid(const Life& life,
                               const FastSegment& stay) const {
  if (stay.begin < life.begin || stay.end > life.end) return false;
  if (!stay.moved_in && stay.begin != life.begin) return false;
  if (!stay.moved_out && stay.end != life.end) return false;
  if (stay.begin > stay.ready || stay.ready > stay.leave ||
      stay.leave > stay.end || stay.ready >= stay.end) {
    return false;
  }
  // At one boundary copies out go before synchronous copies in, and both before
  // births.
  const bool arrives_late =
      stay.moved_in ? stay.begin == stay.ready : !life.cyclic;
  if (stay.moved_out && arrives_late && stay.leave <= stay.ready) {
    return false;
  }
  if (stay.moved_in && stay.begin < life.first_copy) return false;
  if (stay.moved_out && stay.end > life.last_copy) return false;
  return !(stay.moved_in && AnyWithin(life.writes, stay.begin, stay.ready)) &&
         !(stay.moved_out && AnyWithin(life.writes, stay.leave, stay.end));
}

// Only the first stay may begin, and only the last one end, without a copy.
bool SegmentNeighbour::IsValid(const Life& life, const Stays& stays) const {
  for (size_t s = 0; s < stays.size(); ++s) {
    if (!IsValid(life, stays[s])) return false;
    if (s == 0) continue;
    if (!stays[s].moved_in || !stays[s - 1].moved_out) return false;
    if (stays[s - 1].end > stays[s].begin) return false;
  }
  // What crosses the end of the step is there on both sides of it.
  if (life.cyclic && !stays.empty() &&
      stays.front().moved_in != stays.back().moved_out) {
    return false;
  }
  return slow_uses_ || CoversUses(life, stays);
}

bool SegmentNeighbour::CoversUses(const Life& life, const Stays& stays) const {
  size_t s = 0;
  for (const KernelIndex use : life.uses) {
    if (streams_at_[use]) continue;
    while (s < stays.size() && stays[s].end <= use) ++s;
    if (s == stays.size() || use < stays[s].ready) return false;
  }
  return true;
}

}  // namespace stowage
