// Groups tensors that lie next to one another wherever they are, because they
// are allocated, moved and needed together.
//
//   TensorGroup page{.members = {{3, 0}, {5, 256}}, .size_bytes = 4096};
#ifndef STOWAGE_POLICIES_AGGREGATION_TENSOR_GROUP_H_
#define STOWAGE_POLICIES_AGGREGATION_TENSOR_GROUP_H_

#include <cstdint>
#include <vector>

#include "policies/model/graph.h"

namespace stowage::policies {

struct TensorGroup {
  struct Member {
    TensorIndex tensor = 0;
    int64_t offset_bytes = 0;  // into the group
  };
  std::vector<Member> members;  // by offset; one at least
  int64_t size_bytes = 0;       // whole pages
  bool batch = false;           // pages of micro tensors, in reserved space
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AGGREGATION_TENSOR_GROUP_H_
