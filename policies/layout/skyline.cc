#include "policies/layout/skyline.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace stowage::policies {
namespace {

constexpr int kNoRank = std::numeric_limits<int>::max();
constexpr KernelIndex kNever = std::numeric_limits<KernelIndex>::max();

bool IsEmpty(const Span& span) { return span.begin >= span.end; }

KernelIndex StepOf(const std::vector<LayoutItem>& items) {
  KernelIndex step = 1;
  for (const LayoutItem& item : items) {
    for (const Span& span : item.spans) step = std::max(step, span.end);
  }
  return step;
}

}  // namespace

Skyline::Skyline(const std::vector<LayoutItem>& items,
                 const Cancellation& cancellation)
    : items_(items),
      cancellation_(cancellation),
      step_(StepOf(items)),
      by_birth_(items.size()),
      leaf_(items.size()),
      first_birth_(step_ + 1),
      lines_(step_) {
  for (const LayoutItem& item : items) {
    const auto& [a, b] = item.spans;
    Lifetime life{a.begin, a.end};
    if (IsEmpty(a)) {
      life = {b.begin, b.end};
    } else if (!IsEmpty(b) && a.begin == 0 && b.end == step_) {
      life = {b.begin, std::min(step_ + a.end, b.begin + step_)};
    } else if (!IsEmpty(b)) {
      life = {std::min(a.begin, b.begin), std::max(a.end, b.end)};
    }
    // An item that is never held may be anywhere.
    if (life.begin >= life.end) life = {0, 0};
    lives_.push_back(life);
  }
  std::iota(by_birth_.begin(), by_birth_.end(), 0);
  std::stable_sort(by_birth_.begin(), by_birth_.end(), [&](int a, int b) {
    return lives_[a].begin < lives_[b].begin;
  });
  for (size_t i = 0; i < by_birth_.size(); ++i) {
    leaf_[by_birth_[i]] = static_cast<int>(i);
    ++first_birth_[lives_[by_birth_[i]].begin + 1];
  }
  std::partial_sum(first_birth_.begin(), first_birth_.end(),
                   first_birth_.begin());
  while (blocks_ * kBlock < static_cast<int>(items.size())) blocks_ *= 2;
  ends_.resize(static_cast<size_t>(blocks_) * kBlock);
  ranks_.resize(ends_.size());
  nodes_.resize(2 * static_cast<size_t>(blocks_));
}

std::vector<int64_t> Skyline::Pack(const std::vector<int>& order,
                                   int64_t capacity_bytes) {
  std::vector<int64_t> offsets(items_.size(), -1);
  std::fill(lines_.begin(), lines_.end(), Line{});
  Add(0, step_, 0, 0);
  for (const int item : order) {
    if (lives_[item].end == 0) offsets[item] = 0;
  }
  for (const bool early : {true, false}) {
    if (Offer(order, early)) PackOffered(order, capacity_bytes, offsets);
  }
  return offsets;
}

bool Skyline::Offer(const std::vector<int>& order, bool early) {
  std::fill(ends_.begin(), ends_.end(), kNever);
  std::fill(ranks_.begin(), ranks_.end(), kNoRank);
  bool any = false;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const int item = order[rank];
    if (items_[item].early != early || lives_[item].end == 0) continue;
    ends_[leaf_[item]] = lives_[item].end;
    ranks_[leaf_[item]] = static_cast<int>(rank);
    any = true;
  }
  if (!any) return false;
  for (int block = 0; block < blocks_; ++block) UpdateBlock(block);
  for (int node = blocks_ - 1; node > 0; --node) Update(node);
  return true;
}

void Skyline::Withdraw(int item) {
  ends_[leaf_[item]] = kNever;
  ranks_[leaf_[item]] = kNoRank;
  int node = blocks_ + leaf_[item] / kBlock;
  Node before = nodes_[node];
  UpdateBlock(node - blocks_);
  // Nothing changes above a node that has not changed.
  while (node > 1 && nodes_[node] != before) {
    node /= 2;
    before = nodes_[node];
    Update(node);
  }
}

void Skyline::UpdateBlock(int block) {
  Node node{kNever, kNoRank};
  for (int leaf = block * kBlock; leaf < (block + 1) * kBlock; ++leaf) {
    node.first_end = std::min(node.first_end, ends_[leaf]);
    node.first_rank = std::min(node.first_rank, ranks_[leaf]);
  }
  nodes_[blocks_ + block] = node;
}

void Skyline::Update(int node) {
  const Node& a = nodes_[2 * node];
  const Node& b = nodes_[2 * node + 1];
  nodes_[node] = {std::min(a.first_end, b.first_end),
                  std::min(a.first_rank, b.first_rank)};
}

int Skyline::FindFirst(KernelIndex begin, KernelIndex end) const {
  int best_rank = kNoRank;
  // Unrolled, an item that is born before `begin` is born a step later.
  SearchLeaves(first_birth_[begin], first_birth_[std::min(end, step_)], end,
               best_rank);
  if (end > step_) {
    SearchLeaves(0, first_birth_[std::min(end - step_, begin)], end - step_,
                 best_rank);
  }
  return best_rank == kNoRank ? -1 : best_rank;
}

// Searches leaves first .. last-1: whole blocks, and the leaves around them.
void Skyline::SearchLeaves(int first, int last, KernelIndex end,
                           int& best_rank) const {
  const int first_block = (first + kBlock - 1) / kBlock;
  const int last_block = last / kBlock;
  if (first_block > last_block) return Scan(first, last, end, best_rank);
  Scan(first, first_block * kBlock, end, best_rank);
  Scan(last_block * kBlock, last, end, best_rank);
  SearchBlocks(first_block, last_block, end, best_rank);
}

void Skyline::Scan(int first, int last, KernelIndex end, int& best_rank) const {
  if (first >= last) return;
  if (!MayImprove(nodes_[blocks_ + first / kBlock], end, best_rank)) return;
  int best = best_rank;
  for (int leaf = first; leaf < last; ++leaf) {
    best = std::min(best, ends_[leaf] <= end ? ranks_[leaf] : kNoRank);
  }
  best_rank = best;
}

// Searches blocks first .. last-1, by the largest nodes that make up the range.
void Skyline::SearchBlocks(int first, int last, KernelIndex end,
                           int& best_rank) const {
  int left = blocks_ + first;
  int right = blocks_ + last;
  const auto search = [&](int node) {
    if (MayImprove(nodes_[node], end, best_rank)) {
      SearchBelow(node, end, best_rank);
    }
  };
  for (; left < right; left /= 2, right /= 2) {
    if (left % 2 == 1) search(left++);
    if (right % 2 == 1) search(--right);
  }
}

// Searches below a node that may improve the best.
void Skyline::SearchBelow(int node, KernelIndex end, int& best_rank) const {
  while (node < blocks_) {
    const int left = 2 * node;
    int better = left, other = left + 1;
    if (nodes_[other].first_rank < nodes_[better].first_rank) {
      std::swap(better, other);
    }
    if (MayImprove(nodes_[better], end, best_rank)) {
      SearchBelow(better, end, best_rank);
    }
    if (!MayImprove(nodes_[other], end, best_rank)) return;
    node = other;
  }
  const int block = node - blocks_;
  Scan(block * kBlock, (block + 1) * kBlock, end, best_rank);
}

int Skyline::TakeFirst(const std::vector<int>& order, const Entry& lowest,
                       int64_t capacity_bytes) {
  // A line around the whole circle takes everything.
  const KernelIndex end =
      lowest.line + (lowest.length == step_ ? 2 * step_ : lowest.length);
  while (true) {
    const int rank = FindFirst(lowest.line, end);
    if (rank < 0) return -1;
    const int item = order[rank];
    Withdraw(item);
    // No line will be lower.
    if (lowest.height <= capacity_bytes - items_[item].size_bytes) return item;
  }
}

void Skyline::PackOffered(const std::vector<int>& order, int64_t capacity_bytes,
                          std::vector<int64_t>& offsets) {
  queue_ = {};
  for (KernelIndex b = 0; b < step_; ++b) {
    if (lines_[b].length > 0) Enqueue(b);
  }
  while (nodes_[1].first_rank != kNoRank && !queue_.empty()) {
    if (cancellation_.IsCancelled()) return;
    const Entry lowest = queue_.top();
    queue_.pop();
    const Line& line = lines_[lowest.line];
    if (line.length != lowest.length || line.height != lowest.height) continue;
    const int item = TakeFirst(order, lowest, capacity_bytes);
    if (item < 0) {
      Raise(lowest.line);
      continue;
    }
    offsets[item] = lowest.height;
    Build(lowest.line, lives_[item], items_[item].size_bytes);
  }
}

KernelIndex Skyline::Next(KernelIndex line) const {
  return Wrap(line + lines_[line].length);
}

void Skyline::Add(KernelIndex begin, KernelIndex length, KernelIndex previous,
                  int64_t height) {
  lines_[begin] = {length, previous, height};
}

void Skyline::Enqueue(KernelIndex line) {
  queue_.push({lines_[line].height, line, lines_[line].length});
}

void Skyline::Build(KernelIndex line, const Lifetime& life, int64_t bytes) {
  const Line old = lines_[line];
  const KernelIndex length = life.end - life.begin;
  if (length == 0 || bytes == 0) {
    Enqueue(line);
    return;
  }
  lines_[line] = {};
  if (old.length == step_) {
    // The circle may be cut anywhere.
    Add(life.begin, length, life.begin, old.height + bytes);
    Enqueue(life.begin);
    if (length == step_) return;
    const KernelIndex rest = Wrap(life.begin + length);
    Add(rest, step_ - length, life.begin, old.height);
    Enqueue(rest);
    lines_[life.begin].previous = rest;
    return;
  }
  const KernelIndex after = Wrap(line + old.length);
  const KernelIndex before = Wrap(life.begin - line + step_);
  KernelIndex previous = old.previous;
  if (before > 0) {
    Add(line, before, previous, old.height);
    Enqueue(line);
    previous = line;
  }
  Add(life.begin, length, previous, old.height + bytes);
  previous = life.begin;
  const KernelIndex rest = old.length - before - length;
  if (rest > 0) {
    const KernelIndex begin = Wrap(life.begin + length);
    Add(begin, rest, previous, old.height);
    Enqueue(begin);
    previous = begin;
  }
  lines_[after].previous = previous;
  KernelIndex raised = life.begin;
  if (before == 0) {
    const KernelIndex first = old.previous;
    if (lines_[first].height == lines_[life.begin].height) {
      MergeWithNext(first);
      raised = first;
    }
  }
  if (rest == 0) {
    const KernelIndex last = lines_[after].previous;
    if (lines_[last].height == lines_[after].height) {
      MergeWithNext(last);
      raised = last;
    }
  }
  Enqueue(raised);
}

// Raises the line to the lower of its neighbours.
void Skyline::Raise(KernelIndex line) {
  const KernelIndex previous = lines_[line].previous;
  const KernelIndex next = Next(line);
  if (next == line) return;  // nothing is higher
  lines_[line].height = std::min(lines_[previous].height, lines_[next].height);
  const int64_t height = lines_[line].height;
  KernelIndex raised = line;
  if (lines_[next].height == height) MergeWithNext(line);
  if (lines_[previous].height == height) {
    if (lines_[line].length < step_ && lines_[line].length > 0) {
      MergeWithNext(previous);
      raised = previous;
    }
  }
  Enqueue(raised);
}

// Joins `line` and the line behind it, which is as high.
void Skyline::MergeWithNext(KernelIndex line) {
  const KernelIndex next = Next(line);
  if (next == line) return;
  const KernelIndex after = Next(next);
  lines_[line].length += lines_[next].length;
  lines_[next] = {};
  if (after == next || after == line) {
    lines_[line].previous = line;
  } else {
    lines_[after].previous = line;
  }
}

}  // namespace stowage::policies
