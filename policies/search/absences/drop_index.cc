#include "policies/search/absences/drop_index.h"

#include <algorithm>

namespace stowage::policies {

int DropIndex::FetchBefore(TensorIndex tensor, KernelIndex leave) const {
  std::pair<KernelIndex, int> last = {-1, -1};
  for (const auto& fetch : fetches_[tensor]) {
    if (fetch.first < leave) last = std::max(last, fetch);
  }
  if (last.second < 0) return -1;
  const bool may_drop = costs_.drops()
                            .DropAt({.tensor = tensor,
                                     .begin = last.first,
                                     .ready = last.first,
                                     .leave = leave,
                                     .end = leave,
                                     .moved_in = true,
                                     .moved_out = true})
                            .has_value();
  return may_drop ? last.second : -1;
}

}  // namespace stowage::policies
