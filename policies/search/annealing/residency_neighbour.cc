#include "policies/search/annealing/residency_neighbour.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "policies/model/liveness.h"
#include "policies/search/annealing/residency_splice.h"
#include "policies/search/annealing/step_crossing.h"

namespace stowage::policies {
namespace {

// The most boundaries that most changes of a copy's time span.
constexpr int kNearby = 3;

// New residencies cover up to 2^0, 2^1 .. uses, each equally likely; this is
// the number of powers.
constexpr int kLengths = 8;

// Residencies smaller than the excess by this factor do not give way.
constexpr double kSmallest = 16;

int Below(std::mt19937_64& random, size_t count) {
  return static_cast<int>(random() % count);
}

// Returns whether any of `kernels`, ascending, is in begin .. end-1.
bool AnyWithin(const std::vector<KernelIndex>& kernels, KernelIndex begin,
               KernelIndex end) {
  const auto at = std::lower_bound(kernels.begin(), kernels.end(), begin);
  return at != kernels.end() && *at < end;
}

}  // namespace

ResidencyNeighbour::ResidencyNeighbour(const Graph& graph, bool slow_uses,
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
    Lifetime& life = lives_[t];
    life.uses.assign(uses[t].begin(), uses[t].end());
    life.fixed = !tensor.movable() || life.uses.empty();
    life.cyclic = tensor.alive_at_start();
    life.begin = life.cyclic ? 0 : tensor.birth_kernel;
    life.end = life.cyclic ? kernels_ + 1 : tensor.death_kernel + 1;
    life.first_copy = life.cyclic ? 0 : life.begin + 1;
    life.last_copy = life.cyclic ? kernels_ : life.end - 1;
    // These changes do not know two lives in one step.
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

void ResidencyNeighbour::IndexLives() {
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

void ResidencyNeighbour::Aim(KernelIndex first,
                             const std::vector<int64_t>& lost_ns,
                             double share) {
  first_aimed_ = first;
  aimed_share_ = share;
  lost_before_ns_ = {0};
  for (const int64_t ns : lost_ns) {
    lost_before_ns_.push_back(lost_before_ns_.back() +
                              std::max<int64_t>(0, ns));
  }
}

std::optional<ResidencyChange> ResidencyNeighbour::Change(
    std::mt19937_64& random, const ResidenciesByTensor& residencies) const {
  if (usable_.empty()) return std::nullopt;
  const bool aims = !lost_before_ns_.empty() && lost_before_ns_.back() > 0;
  ResidencyChange change;
  size_t s = 0;
  KernelIndex use = 0;
  if (aims && static_cast<double>(random() % 1024) < 1024 * aimed_share_) {
    const auto loser = DrawLoser(random);
    if (!loser.has_value()) return std::nullopt;
    std::tie(change.tensor, use) = *loser;
    change.residencies = residencies[change.tensor];
    while (s < change.residencies.size() && change.residencies[s].end <= use) {
      ++s;
    }
    if (s < change.residencies.size() && use < change.residencies[s].begin) {
      s = change.residencies.size();
    }
  } else {
    change.tensor = usable_[Below(random, usable_.size())];
    change.residencies = residencies[change.tensor];
    const auto& uses = lives_[change.tensor].uses;
    use = uses[Below(random, uses.size())];
    const bool inserts = change.residencies.empty() || random() % 12 == 0;
    s = inserts ? change.residencies.size()
                : random() % change.residencies.size();
  }
  const Lifetime& life = lives_[change.tensor];
  bool changed = false;
  if (s < change.residencies.size()) {
    changed = ChangeResidency(random, life, change.residencies, s);
  } else {
    const auto at = std::lower_bound(life.uses.begin(), life.uses.end(), use);
    changed = Insert(random, change.tensor, change.residencies,
                     static_cast<int>(at - life.uses.begin()));
  }
  if (!changed) return std::nullopt;
  return Finish(random, std::move(change));
}

std::optional<ResidencyChange> ResidencyNeighbour::Finish(
    std::mt19937_64& random, ResidencyChange change) const {
  const Lifetime& life = lives_[change.tensor];
  if (life.cyclic) {
    MendCrossing(random, life.uses, kernels_, change.residencies);
  }
  drops_.EndAtDrops(change.residencies);
  if (!IsValid(life, change.residencies)) return std::nullopt;
  return change;
}

std::optional<std::pair<TensorIndex, KernelIndex>>
ResidencyNeighbour::DrawLoser(std::mt19937_64& random) const {
  const auto drawn = static_cast<int64_t>(
      random() % static_cast<uint64_t>(lost_before_ns_.back()));
  const auto k = static_cast<KernelIndex>(
      first_aimed_ - 1 +
      (std::upper_bound(lost_before_ns_.begin(), lost_before_ns_.end(), drawn) -
       lost_before_ns_.begin()));
  if (operands_[k].empty()) return std::nullopt;
  return std::pair(operands_[k][Below(random, operands_[k].size())], k);
}

std::optional<ResidencyChange> ResidencyNeighbour::Evict(
    std::mt19937_64& random, const ResidenciesByTensor& residencies,
    KernelIndex boundary, const Span& span, int64_t excess_bytes) const {
  const auto holder = DrawHolder(random, residencies, boundary, excess_bytes);
  if (!holder.has_value()) return std::nullopt;
  const auto [t, s] = *holder;
  ResidencyChange change{.tensor = t, .residencies = residencies[t]};
  const bool all = random() % 2 == 0;
  CutOut(random, lives_[t], all ? span : Span{boundary, boundary + 1},
         change.residencies, s);
  return Finish(random, std::move(change));
}

// Draws a residency that holds the boundary. The smaller it is for the excess,
// the less likely.
std::optional<std::pair<TensorIndex, size_t>> ResidencyNeighbour::DrawHolder(
    std::mt19937_64& random, const ResidenciesByTensor& residencies,
    KernelIndex boundary, int64_t excess_bytes) const {
  std::optional<std::pair<TensorIndex, size_t>> holder;
  double weights = 0;
  const auto look_at = [&](TensorIndex t) {
    for (size_t s = 0; s < residencies[t].size(); ++s) {
      const Residency& residency = residencies[t][s];
      if (boundary < residency.begin || residency.end <= boundary) continue;
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

// Cuts `span` out; the remaining residencies hold room for uses before and
// behind it.
void ResidencyNeighbour::CutOut(std::mt19937_64& random, const Lifetime& life,
                                const Span& span, Residencies& residencies,
                                size_t s) const {
  const Residency residency = residencies[s];
  const auto first =
      std::lower_bound(life.uses.begin(), life.uses.end(), residency.ready);
  const auto last = std::lower_bound(first, life.uses.end(), residency.end);
  const auto from = std::lower_bound(first, last, span.begin);
  const auto to = std::lower_bound(from, last, span.end);
  Residencies parts;
  if (from != first) {
    Residency before = residency;
    before.leave = *std::prev(from) + 1;
    before.end = before.leave + Below(random, span.begin - before.leave + 1);
    before.moved_out = true;
    parts.push_back(before);
  }
  if (to != last) {
    Residency after = residency;
    after.ready = *to;
    after.begin = span.end + Below(random, after.ready - span.end + 1);
    after.moved_in = true;
    parts.push_back(after);
  }
  const auto at =
      residencies.erase(residencies.begin() + static_cast<int64_t>(s));
  residencies.insert(at, parts.begin(), parts.end());
}

bool ResidencyNeighbour::ChangeResidency(std::mt19937_64& random,
                                         const Lifetime& life,
                                         Residencies& residencies,
                                         size_t s) const {
  const uint64_t kind = random() % 12;
  if (kind < 2) return ChangeBegin(random, life, residencies[s]);
  if (kind < 4) return ChangeLeave(random, life, residencies[s]);
  if (kind < 7) return ChangeEnd(random, life, residencies[s]);
  if (kind < 8) return ChangeReady(random, life, residencies[s]);
  if (kind < 9) return Split(random, life, residencies, s);
  if (kind < 10) return JoinNext(residencies, s);
  if (kind < 11) return Remove(residencies, s);
  return life.cyclic &&
         CrossOtherwise(random, life.uses, kernels_, residencies);
}

KernelIndex ResidencyNeighbour::Draw(std::mt19937_64& random,
                                     const Lifetime& life,
                                     KernelIndex now) const {
  if (random() % 3 == 0) {
    return life.begin + Below(random, life.end - life.begin);
  }
  const KernelIndex change = Below(random, 2 * kNearby + 1) - kNearby;
  return std::clamp(now + change, life.begin, std::min(life.end, kernels_));
}

bool ResidencyNeighbour::ChangeBegin(std::mt19937_64& random,
                                     const Lifetime& life,
                                     Residency& residency) const {
  if (!residency.moved_in) return false;
  residency.begin = Draw(random, life, residency.begin);
  return true;
}

bool ResidencyNeighbour::ChangeLeave(std::mt19937_64& random,
                                     const Lifetime& life,
                                     Residency& residency) const {
  if (!residency.moved_out) return false;
  residency.leave = Draw(random, life, residency.leave);
  return true;
}

// Changes the end. The copy out moves along if uses are added or given up. A
// tensor that dies in the fast tier is not copied out.
bool ResidencyNeighbour::ChangeEnd(std::mt19937_64& random,
                                   const Lifetime& life,
                                   Residency& residency) const {
  if (!residency.moved_out && life.cyclic) return false;
  const KernelIndex before = residency.end;
  if (random() % 2 == 0 && residency.moved_out) {
    residency.end = Draw(random, life, before);
    residency.leave = std::min(residency.leave, residency.end);
    return true;
  }
  const KernelIndex last = life.uses[Below(random, life.uses.size())];
  if (!life.cyclic && last == life.uses.back()) {
    residency.leave = residency.end = life.end;
    residency.moved_out = false;
    return before != residency.end;
  }
  const KernelIndex length = residency.moved_out ? before - residency.leave : 1;
  residency.moved_out = true;
  residency.leave = last + 1;
  residency.end =
      std::min(residency.leave + std::max(1, length), life.last_copy);
  return true;
}

// Changes the beginning likewise. A tensor that is born in the fast tier is not
// copied in.
bool ResidencyNeighbour::ChangeReady(std::mt19937_64& random,
                                     const Lifetime& life,
                                     Residency& residency) const {
  if (!residency.moved_in && life.cyclic) return false;
  const KernelIndex before = residency.begin;
  if (random() % 2 == 0 && residency.moved_in) {
    residency.ready = Draw(random, life, residency.ready);
    residency.begin = std::min(residency.begin, residency.ready);
    return true;
  }
  const KernelIndex first = life.uses[Below(random, life.uses.size())];
  if (!life.cyclic && first == life.uses.front()) {
    residency.begin = residency.ready = life.begin;
    residency.moved_in = false;
    return before != residency.begin;
  }
  const KernelIndex length = residency.moved_in ? residency.ready - before : 1;
  residency.moved_in = true;
  residency.ready = first;
  residency.begin = std::max(first - std::max(1, length), life.first_copy);
  return true;
}

bool ResidencyNeighbour::Split(std::mt19937_64& random, const Lifetime& life,
                               Residencies& residencies, size_t s) const {
  const auto first = std::lower_bound(life.uses.begin(), life.uses.end(),
                                      residencies[s].ready);
  const auto last =
      std::lower_bound(first, life.uses.end(), residencies[s].end);
  if (last - first < 2) return false;
  const auto before = first + Below(random, last - first - 1);
  const KernelIndex from = *before + 1, to = *std::next(before);
  if (to <= from) return false;
  const KernelIndex left = from + Below(random, to - from + 1);
  const KernelIndex fetched = left + Below(random, to - left + 1);
  Residency second = residencies[s];
  second.begin = fetched;
  second.ready = to;
  second.moved_in = true;
  residencies[s].leave = from;
  residencies[s].end = left;
  residencies[s].moved_out = true;
  residencies.insert(residencies.begin() + static_cast<int64_t>(s) + 1, second);
  return true;
}

bool ResidencyNeighbour::JoinNext(Residencies& residencies, size_t s) const {
  if (s + 1 == residencies.size()) return false;
  const Residency& next = residencies[s + 1];
  residencies[s].leave = next.leave;
  residencies[s].end = next.end;
  residencies[s].moved_out = next.moved_out;
  residencies.erase(residencies.begin() + static_cast<int64_t>(s) + 1);
  return true;
}

bool ResidencyNeighbour::Remove(Residencies& residencies, size_t s) const {
  if (!may_leave_slow_) return false;
  residencies.erase(residencies.begin() + static_cast<int64_t>(s));
  return true;
}

bool ResidencyNeighbour::Insert(std::mt19937_64& random, TensorIndex t,
                                Residencies& residencies, int first) const {
  if (!may_leave_slow_) return false;
  const Lifetime& life = lives_[t];
  const int length = Below(random, size_t{1} << Below(random, kLengths));
  const int last =
      std::min<int>(first + length, static_cast<int>(life.uses.size()) - 1);
  Residency residency{
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
    residency.begin = residency.ready = life.begin;
    residency.moved_in = false;
  }
  if (!life.cyclic && last + 1 == static_cast<int>(life.uses.size())) {
    residency.leave = residency.end = life.end;
    residency.moved_out = false;
  }
  residencies.insert(
      std::lower_bound(residencies.begin(), residencies.end(), residency,
                       [](const Residency& a, const Residency& b) {
                         return a.begin < b.begin;
                       }),
      residency);
  return true;
}

std::optional<ResidencyChange> ResidencyNeighbour::Imitate(
    const TwinStretch& stretch, TensorIndex t, const Residencies& own,
    Residencies twin) const {
  const Lifetime& life = lives_[t];
  if (life.fixed) return std::nullopt;
  for (Residency& residency : twin) {
    residency.tensor = t;
    for (KernelIndex* b : {&residency.begin, &residency.ready, &residency.leave,
                           &residency.end}) {
      *b -= stretch.shift;
    }
  }
  const auto [begin, end] = stretch.kernels;
  ResidencyChange change{
      .tensor = t,
      .residencies = SpliceResidencies(
          life.uses, SpliceResidencies(life.uses, own, twin, begin), own, end)};
  drops_.EndAtDrops(change.residencies);
  if (!IsValid(life, change.residencies)) return std::nullopt;
  return change;
}

bool ResidencyNeighbour::IsValid(const Lifetime& life,
                                 const Residency& residency) const {
  if (residency.begin < life.begin || residency.end > life.end) return false;
  if (!residency.moved_in && residency.begin != life.begin) return false;
  if (!residency.moved_out && residency.end != life.end) return false;
  if (residency.begin > residency.ready || residency.ready > residency.leave ||
      residency.leave > residency.end || residency.ready >= residency.end) {
    return false;
  }
  // At one boundary, copies out go before synchronous copies in, and both go
  // before births.
  const bool arrives_late =
      residency.moved_in ? residency.begin == residency.ready : !life.cyclic;
  if (residency.moved_out && arrives_late &&
      residency.leave <= residency.ready) {
    return false;
  }
  if (residency.moved_in && residency.begin < life.first_copy) return false;
  if (residency.moved_out && residency.end > life.last_copy) return false;
  return !(residency.moved_in &&
           AnyWithin(life.writes, residency.begin, residency.ready)) &&
         !(residency.moved_out &&
           AnyWithin(life.writes, residency.leave, residency.end));
}

// Returns whether the residencies are possible. Only the first may begin, and
// only the last may end, without a copy.
bool ResidencyNeighbour::IsValid(const Lifetime& life,
                                 const Residencies& residencies) const {
  for (size_t s = 0; s < residencies.size(); ++s) {
    if (!IsValid(life, residencies[s])) return false;
    if (s == 0) continue;
    if (!residencies[s].moved_in || !residencies[s - 1].moved_out) return false;
    if (residencies[s - 1].end > residencies[s].begin) return false;
  }
  // A tensor that crosses the end of the step is there on both sides of it.
  if (life.cyclic && !residencies.empty() &&
      residencies.front().moved_in != residencies.back().moved_out) {
    return false;
  }
  return slow_uses_ || CoversUses(life, residencies);
}

bool ResidencyNeighbour::CoversUses(const Lifetime& life,
                                    const Residencies& residencies) const {
  size_t s = 0;
  for (const KernelIndex use : life.uses) {
    if (streams_at_[use]) continue;
    while (s < residencies.size() && residencies[s].end <= use) ++s;
    if (s == residencies.size() || use < residencies[s].ready) return false;
  }
  return true;
}

}  // namespace stowage::policies
