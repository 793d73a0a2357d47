#include "policies/simulate/contiguous_moves.h"

#include "policies/layout/address_layout.h"

namespace stowage::policies {

bool Continues(const Graph& graph, const Move& first, const Move& second) {
  if (second.start_kernel != first.start_kernel ||
      second.deadline_kernel != first.deadline_kernel ||
      second.from.tier != first.from.tier || second.to.tier != first.to.tier ||
      first.from.tier == first.to.tier || first.is_drop || second.is_drop) {
    return false;
  }
  const int64_t end_bytes =
      first.from.offset_bytes + graph.tensors[first.tensor].size_bytes;
  return second.from.offset_bytes >= end_bytes &&
         second.from.offset_bytes <= RoundUpToPlacement(end_bytes) &&
         second.to.offset_bytes - first.to.offset_bytes ==
             second.from.offset_bytes - first.from.offset_bytes;
}

size_t ContiguousRunEnd(const Graph& graph, const std::vector<Move>& moves,
                        size_t first) {
  size_t end = first + 1;
  while (end < moves.size() && Continues(graph, moves[end - 1], moves[end])) {
    ++end;
  }
  return end;
}

}  // namespace stowage::policies
