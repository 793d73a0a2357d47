// Packs items with fixed lifetimes into an arena, lowest place first. The
// lowest line of the skyline takes the first item, in a given order, whose life
// lies within it; a line that takes none is raised to its lower neighbour. This
// is best fit for strip packing (Burke, Kendall, Whitwell 2004) with fixed
// positions, as Sekiyama et al. (2018) lay out memory.
//
//   Skyline skyline(items);
//   std::vector<int64_t> offsets = skyline.Pack(order, capacity_bytes);
//
// Time is circular: an item that is alive across the end of the step is one
// interval. A pass takes O(n log n) steps and searches that are bounded by what
// a line spans; it does not compare all pairs.
#ifndef STOWAGE_POLICIES_LAYOUT_SKYLINE_H_
#define STOWAGE_POLICIES_LAYOUT_SKYLINE_H_

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "policies/layout/layout_item.h"
#include "policies/plan/cancellation.h"

namespace stowage::policies {

// Keeps a reference to `items`. Not thread-safe.
class Skyline {
 public:
  explicit Skyline(const std::vector<LayoutItem>& items,
                   const Cancellation& cancellation = {});

  // Returns offsets parallel to the items: -1 for those that end above
  // `capacity_bytes`, and for those that `order` does not list. Early items are
  // placed before all others. Once cancelled, no more are placed.
  std::vector<int64_t> Pack(const std::vector<int>& order,
                            int64_t capacity_bytes);

 private:
  // Holds an item's life: boundaries begin .. end-1, end up to begin + step_.
  struct Lifetime {
    KernelIndex begin = 0;
    KernelIndex end = 0;
  };
  // Describes a stretch of boundaries of equal height, from its index on.
  struct Line {
    KernelIndex length = 0;  // 0: no line begins here
    KernelIndex previous = 0;
    int64_t height = 0;
  };
  // Describes a line as it was when it was queued; some entries are outdated.
  struct Entry {
    int64_t height = 0;
    KernelIndex line = 0;
    KernelIndex length = 0;
    // Compares without branches, since heaps cannot be foreseen.
    bool operator>(const Entry& other) const {
      return (height > other.height) |
             ((height == other.height) & (line > other.line));
    }
  };
  // The items that are not placed yet, in the order of birth, are the leaves of
  // a tree over blocks of them. A block is looked through without branches.
  static constexpr int kBlock = 16;
  struct Node {
    KernelIndex first_end = 0;
    int first_rank = 0;
    bool operator==(const Node&) const = default;
  };

  // Offers the items; returns false if there is nothing to place.
  bool Offer(const std::vector<int>& order, bool early);
  void Withdraw(int item);
  void UpdateBlock(int block);
  void Update(int node);
  // Returns the first offered item that lives within begin .. end-1; -1: none.
  int FindFirst(KernelIndex begin, KernelIndex end) const;
  void SearchLeaves(int first, int last, KernelIndex end, int& best_rank) const;
  void SearchBlocks(int first, int last, KernelIndex end, int& best_rank) const;
  // Scans leaves that lie in one block.
  void Scan(int first, int last, KernelIndex end, int& best_rank) const;
  // Returns whether there may be an item below the node that lives to `end` at
  // most and comes before `best_rank`.
  static bool MayImprove(const Node& node, KernelIndex end, int best_rank) {
    return node.first_end <= end && node.first_rank < best_rank;
  }
  void SearchBelow(int node, KernelIndex end, int& best_rank) const;

  // Takes the first item that lives within the line, among those that fit below
  // the capacity; -1: none. Withdraws it, and items that do not fit.
  int TakeFirst(const std::vector<int>& order, const Entry& lowest,
                int64_t capacity_bytes);
  void PackOffered(const std::vector<int>& order, int64_t capacity_bytes,
                   std::vector<int64_t>& offsets);
  // Returns the boundary within the step of one that is less than two steps.
  KernelIndex Wrap(KernelIndex boundary) const {
    return boundary < step_ ? boundary : boundary - step_;
  }
  KernelIndex Next(KernelIndex line) const;
  void Add(KernelIndex begin, KernelIndex length, KernelIndex previous,
           int64_t height);
  // Lets the line be found, as it is now.
  void Enqueue(KernelIndex line);
  // Splits `line` so that `life` is a line of its own, `bytes` higher.
  void Build(KernelIndex line, const Lifetime& life, int64_t bytes);
  void Raise(KernelIndex line);
  void MergeWithNext(KernelIndex line);

  const std::vector<LayoutItem>& items_;
  const Cancellation cancellation_;
  KernelIndex step_ = 1;  // boundaries
  std::vector<Lifetime> lives_;
  std::vector<int> by_birth_;     // items
  std::vector<int> leaf_;         // by item
  std::vector<int> first_birth_;  // by boundary: index into by_birth_
  // By leaf, in whole blocks; leaves that are not offered lie beyond all
  // others.
  std::vector<KernelIndex> ends_;
  std::vector<int> ranks_;
  int blocks_ = 1;  // a power of two
  std::vector<Node> nodes_;
  std::vector<Line> lines_;  // by boundary
  // Lowest first.
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_LAYOUT_SKYLINE_H_
