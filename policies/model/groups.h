// Keeps numbers by the group they belong to in one array, in place of a vector
// of many small vectors.
//
//   Groups by_size(10, [&](auto add) {
//     for (int t = 0; t < count; ++t) add(/*group=*/size[t], /*number=*/t);
//   });
//   for (int t : by_size[3]) Use(t);  // in the order in which they were added
//
// A value; its spans are valid as long as it is.
#ifndef STOWAGE_POLICIES_MODEL_GROUPS_H_
#define STOWAGE_POLICIES_MODEL_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/types/span.h"

namespace stowage::policies {

class Groups {
 public:
  Groups() = default;

  // Calls `add_all` twice with a function that takes a group, 0 .. `count` - 1,
  // and a number; `add_all` has to add the same numbers both times.
  template <typename AddAll>
  Groups(size_t count, const AddAll& add_all) : first_(count + 2) {
    // The starts are counted one group further than they end up, so that
    // filling a group moves its start to where the next one begins.
    add_all([this](int32_t group, int32_t) { ++first_[group + 2]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    numbers_.resize(first_.back());
    add_all([this](int32_t group, int32_t number) {
      numbers_[first_[group + 1]++] = number;
    });
    first_.pop_back();
  }

  int32_t size() const { return static_cast<int32_t>(first_.size()) - 1; }

  absl::Span<const int32_t> operator[](int32_t group) const {
    return {numbers_.data() + first_[group],
            static_cast<size_t>(first_[group + 1] - first_[group])};
  }

 private:
  // Where each group begins in `numbers_`, and the end.
  std::vector<int32_t> first_ = {0};
  std::vector<int32_t> numbers_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_GROUPS_H_
