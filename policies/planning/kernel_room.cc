#include "policies/planning/kernel_room.h"

#include <algorithm>
#include <functional>
#include <set>

#include "policies/layout/address_layout.h"
#include "policies/model/liveness.h"
#include "policies/plan/plan.h"

namespace stowage::policies {
namespace {

// The most tensors that are combined with one another. They are not smaller
// than this share of the room; others count in fractions.
constexpr int kMaxCombined = 12;
constexpr int64_t kLeastShare = 64;

using Sizes = std::multiset<int64_t, std::greater<>>;

int64_t LimitBytes(const Graph& graph, const MemorySystem& system,
                   int64_t fast_limit_bytes) {
  const int64_t capacity = system.tiers[kFastTier].capacity_bytes;
  if (capacity > 0) fast_limit_bytes = std::min(fast_limit_bytes, capacity);
  return fast_limit_bytes - RoundUpToPlacement(graph.unmanaged_peak_bytes);
}

// Returns how much of `room_bytes` tensors of `sizes` can fill at most; all of
// it if they fit together. The largest ones count whole, the others in
// fractions. `total` is the sum of the sizes.
int64_t Fillable(const Sizes& sizes, int64_t total, int64_t room_bytes) {
  if (total <= room_bytes) return room_bytes;
  std::vector<int64_t> sums = {0};
  int combined = 0;
  for (const int64_t size : sizes) {
    if (size * kLeastShare < room_bytes || combined == kMaxCombined) break;
    total -= size;
    if (size > room_bytes) continue;
    ++combined;
    const size_t count = sums.size();
    for (size_t i = 0; i < count; ++i) {
      if (sums[i] + size <= room_bytes) sums.push_back(sums[i] + size);
    }
  }
  const int64_t most = *std::max_element(sums.begin(), sums.end());
  return std::min(room_bytes, most + total);
}

// Follows the living tensors from kernel to kernel.
class Sweep {
 public:
  void Add(const Tensor& tensor) { Count(tensor, 1); }
  void Remove(const Tensor& tensor) { Count(tensor, -1); }

  // Treats a movable tensor as if it could not move.
  void Fix(const Tensor& tensor) {
    if (!tensor.movable()) return;
    Remove(tensor);
    fixed_ += OwnBytes(tensor.size_bytes);
  }
  void Unfix(const Tensor& tensor) {
    if (!tensor.movable()) return;
    fixed_ -= OwnBytes(tensor.size_bytes);
    Add(tensor);
  }

  void Measure(KernelRoom& room) const {
    const int64_t free_bytes = room.limit_bytes - fixed_;
    room.free_bytes.push_back(free_bytes);
    room.fillable_bytes.push_back(
        fixed_ +
        (free_bytes > 0 ? Fillable(movable_, total_, free_bytes) : free_bytes));
  }

 private:
  void Count(const Tensor& tensor, int sign) {
    const int64_t bytes = OwnBytes(tensor.size_bytes);
    if (!tensor.movable()) {
      fixed_ += sign * bytes;
      return;
    }
    total_ += sign * bytes;
    if (sign > 0) {
      movable_.insert(bytes);
    } else {
      movable_.erase(movable_.find(bytes));
    }
  }

  int64_t fixed_ = 0;
  int64_t total_ = 0;
  Sizes movable_;
};

}  // namespace

int64_t OwnBytes(int64_t size_bytes) {
  return size_bytes < kPlacementAlignmentBytes ? size_bytes
                                               : RoundUpToPlacement(size_bytes);
}

bool OnlyFastTierIsUsable(const MemorySystem& system) {
  return std::none_of(
      system.tiers.begin() + 1, system.tiers.end(),
      [](const Tier& tier) { return tier.addressable || tier.streamable; });
}

KernelRoom FindKernelRoom(const Graph& graph, const MemorySystem& system,
                          int64_t fast_limit_bytes) {
  const KernelIndex kernels = graph.kernel_count();
  const bool only_fast = OnlyFastTierIsUsable(system);
  const auto births = BirthsByKernel(graph);
  std::vector<std::vector<TensorIndex>> deaths(graph.kernels.size());
  Sweep sweep;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.alive_at_start()) sweep.Add(tensor);
    if (!tensor.persistent) deaths[tensor.death_kernel].push_back(t);
  }
  KernelRoom room{.limit_bytes = LimitBytes(graph, system, fast_limit_bytes)};
  for (KernelIndex k = 0; k < kernels; ++k) {
    for (const TensorIndex t : births[k]) sweep.Add(graph.tensors[t]);
    const auto& operands = graph.kernels[k].operands;
    if (only_fast) {
      for (const Operand& o : operands) sweep.Fix(graph.tensors[o.tensor]);
    }
    sweep.Measure(room);
    if (only_fast) {
      for (const Operand& o : operands) sweep.Unfix(graph.tensors[o.tensor]);
    }
    for (const TensorIndex t : deaths[k]) sweep.Remove(graph.tensors[t]);
  }
  room.free_bytes.push_back(room.limit_bytes);
  room.fillable_bytes.push_back(room.limit_bytes);
  return room;
}

}  // namespace stowage::policies
