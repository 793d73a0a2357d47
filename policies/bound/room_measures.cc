#include "policies/bound/room_measures.h"

#include <algorithm>

namespace stowage::policies {
namespace {

// The most sizes that are counted; the largest ones are.
constexpr size_t kMaxSizes = 64;

// Returns for how much a tensor counts in parts of 1/(m + 1) of the room.
double Count(int64_t bytes, int64_t room_bytes, int m) {
  if (room_bytes <= 0) return 0;
  const int64_t parts = ((m + 1) * bytes + room_bytes - 1) / room_bytes - 1;
  return static_cast<double>(std::min<int64_t>(parts, m));
}

}  // namespace

RoomMeasures MakeRoomMeasures(const Graph& graph, const KernelRoom& room,
                              const std::vector<KernelIndex>& kernels) {
  RoomMeasures measures;
  int64_t least_room = room.limit_bytes;
  for (const KernelIndex k : kernels) {
    measures.there.push_back(static_cast<double>(room.fillable_bytes[k]));
    for (int m = 1; m < kRoomMeasures; ++m) measures.there.push_back(m);
    least_room = std::min(least_room, room.free_bytes[k]);
  }
  for (const Tensor& tensor : graph.tensors) {
    const int64_t bytes = OwnBytes(tensor.size_bytes);
    if (!tensor.movable() || bytes * kRoomMeasures <= least_room) continue;
    measures.sizes.push_back(bytes);
  }
  std::sort(measures.sizes.begin(), measures.sizes.end());
  measures.sizes.erase(
      std::unique(measures.sizes.begin(), measures.sizes.end()),
      measures.sizes.end());
  if (measures.sizes.size() > kMaxSizes) {
    measures.sizes.erase(measures.sizes.begin(),
                         measures.sizes.end() - kMaxSizes);
  }
  for (const int64_t bytes : measures.sizes) {
    std::vector<double>& taken = measures.taken.emplace_back();
    for (const KernelIndex k : kernels) {
      taken.push_back(static_cast<double>(bytes));
      for (int m = 1; m < kRoomMeasures; ++m) {
        taken.push_back(Count(bytes, room.free_bytes[k], m));
      }
    }
  }
  for (const Tensor& tensor : graph.tensors) {
    const int64_t bytes = OwnBytes(tensor.size_bytes);
    const auto at =
        std::lower_bound(measures.sizes.begin(), measures.sizes.end(), bytes);
    const bool counted =
        tensor.movable() && at != measures.sizes.end() && *at == bytes;
    measures.size_of.push_back(
        counted ? static_cast<int>(at - measures.sizes.begin()) : -1);
  }
  return measures;
}

}  // namespace stowage::policies
