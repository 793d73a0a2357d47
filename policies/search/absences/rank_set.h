// Keeps a set of small numbers that is walked downwards: a bit for each, and a
// bit for each word of bits that is not empty.
//
//   RankSet ranks(1000);
//   ranks.Insert(7);
//   for (int r = ranks.Below(1000); r >= 0; r = ranks.Below(r)) Visit(r);
//
// Not thread-safe.
#ifndef STOWAGE_POLICIES_SEARCH_ABSENCES_RANK_SET_H_
#define STOWAGE_POLICIES_SEARCH_ABSENCES_RANK_SET_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stowage::policies {

class RankSet {
 public:
  // Makes an empty set for ranks 0 .. `count` - 1.
  explicit RankSet(size_t count = 0)
      : words_(count / 64 + 1), filled_(words_.size() / 64 + 1) {}

  void Insert(int rank) {
    words_[rank / 64] |= Bit(rank);
    filled_[rank / 4096] |= Bit(rank / 64);
  }

  void Erase(int rank) {
    words_[rank / 64] &= ~Bit(rank);
    if (words_[rank / 64] == 0) filled_[rank / 4096] &= ~Bit(rank / 64);
  }

  // Returns the highest rank in the set that is less than `rank`; -1: none.
  int Below(int rank) const {
    int word = rank / 64;
    int bit = HighestBelow(words_[word], rank % 64);
    if (bit < 0) {
      int group = word / 64;
      int in_group = HighestBelow(filled_[group], word % 64);
      while (in_group < 0) {
        if (group == 0) return -1;
        in_group = HighestBelow(filled_[--group], 64);
      }
      word = group * 64 + in_group;
      bit = HighestBelow(words_[word], 64);
    }
    return word * 64 + bit;
  }

 private:
  static uint64_t Bit(int n) { return uint64_t{1} << (n % 64); }

  // Returns the highest of the bits 0 .. `end` - 1 of a word that is set; -1:
  // none.
  static int HighestBelow(uint64_t word, int end) {
    if (end < 64) word &= (uint64_t{1} << end) - 1;
    return 63 - std::countl_zero(word);
  }

  std::vector<uint64_t> words_;
  std::vector<uint64_t> filled_;  // a bit for each word that is not 0
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ABSENCES_RANK_SET_H_
