#include "policies/intervals/reserved_room.h"

#include <algorithm>

#include "policies/layout/address_layout.h"

namespace stowage::policies {
namespace {

int64_t Bytes(const Graph& graph, TensorIndex t) {
  return RoundUpToPlacement(graph.tensors[t].size_bytes);
}

void HoldImmovable(const Graph& graph, ReservedRoom& reserved, FastRoom& room) {
  for (const Residency& residency : AllFastResidencies(graph)) {
    if (graph.tensors[residency.tensor].movable()) continue;
    room.Hold(residency.begin, residency.end, Bytes(graph, residency.tensor));
    reserved.residencies.push_back(residency);
  }
}

// Returns by tensor whether some kernel needs it slow.
std::vector<bool> FindLeftSlow(const Graph& graph, const Workload& workload) {
  std::vector<bool> left_slow(graph.tensors.size());
  for (const std::vector<TensorIndex>& tensors : workload.left_slow) {
    for (TensorIndex t : tensors) left_slow[t] = true;
  }
  return left_slow;
}

// Marks the managed tensors; returns the short-lived ones by birth.
std::vector<TensorIndex> TellShortLived(const Graph& graph,
                                        const Workload& workload,
                                        const Layers& layers,
                                        ReservedRoom& reserved) {
  const std::vector<bool> left_slow = FindLeftSlow(graph, workload);
  reserved.managed.assign(graph.tensors.size(), false);
  std::vector<TensorIndex> short_lived;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (!tensor.movable()) continue;
    reserved.managed[t] = left_slow[t] || !IsShortLived(tensor, layers);
    if (!reserved.managed[t]) short_lived.push_back(t);
  }
  std::stable_sort(short_lived.begin(), short_lived.end(),
                   [&](TensorIndex a, TensorIndex b) {
                     return graph.tensors[a].birth_kernel <
                            graph.tensors[b].birth_kernel;
                   });
  return short_lived;
}

void HoldStaged(const Graph& graph, const Workload& workload,
                const std::vector<bool>& tensors, FastRoom& room) {
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    for (TensorIndex t : workload.staged[k]) {
      if (tensors[t]) room.Hold(k, k + 1, Bytes(graph, t));
    }
  }
}

// Reserves the most bytes that are still to come in the same interval.
void ReserveAhead(const Intervals& intervals,
                  const std::vector<int64_t>& short_bytes, FastRoom& room) {
  const auto kernels = static_cast<KernelIndex>(short_bytes.size());
  int64_t reserved_bytes = 0;
  for (KernelIndex k = kernels - 1; k >= 0; --k) {
    const bool ends_interval = k + 1 == kernels || intervals.of_kernel[k + 1] !=
                                                       intervals.of_kernel[k];
    if (ends_interval) reserved_bytes = 0;
    reserved_bytes = std::max(reserved_bytes, short_bytes[k]);
    room.Reserve(k, reserved_bytes - short_bytes[k]);
  }
}

}  // namespace

ReservedRoom HoldReservedRoom(const Graph& graph, const Workload& workload,
                              const Layers& layers, const Intervals& intervals,
                              bool stage_all, FastRoom& room) {
  ReservedRoom reserved;
  HoldImmovable(graph, reserved, room);
  const std::vector<TensorIndex> short_lived =
      TellShortLived(graph, workload, layers, reserved);
  if (stage_all) HoldStaged(graph, workload, reserved.managed, room);
  std::vector<int64_t> short_bytes(graph.kernels.size());
  std::vector<bool> homeless(graph.tensors.size());
  for (TensorIndex t : short_lived) {
    const KernelIndex begin = graph.tensors[t].birth_kernel;
    const KernelIndex end = graph.tensors[t].death_kernel + 1;
    if (!room.Fits(begin, end, Bytes(graph, t))) {
      homeless[t] = reserved.managed[t] = true;
      ++reserved.homeless;
      continue;
    }
    room.Hold(begin, end, Bytes(graph, t));
    for (KernelIndex k = begin; k < end; ++k) short_bytes[k] += Bytes(graph, t);
    reserved.residencies.push_back({.tensor = t,
                                    .begin = begin,
                                    .ready = begin,
                                    .leave = end,
                                    .end = end,
                                    .early = true});
  }
  if (stage_all) HoldStaged(graph, workload, homeless, room);
  ReserveAhead(intervals, short_bytes, room);
  return reserved;
}

}  // namespace stowage::policies
