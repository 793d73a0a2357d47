#include "policies/aggregation/batching.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "policies/aggregation/route.h"
#include "policies/model/liveness.h"

namespace stowage::policies {
namespace {

int64_t SharedBytes(const Tensor& tensor) {
  return (tensor.size_bytes + kSharedPageAlignmentBytes - 1) /
         kSharedPageAlignmentBytes * kSharedPageAlignmentBytes;
}

bool OnlyInPlace(const MemorySystem& system,
                 const TensorResidencies& residencies) {
  return std::all_of(residencies.residencies.begin(),
                     residencies.residencies.end(),
                     [&](const TierResidency& residency) {
                       return system.tiers[residency.tier].addressable;
                     });
}

// Fills pages with tensors that may share them, in the order given.
std::vector<TensorGroup> FillPages(const Graph& graph,
                                   const std::vector<TensorIndex>& tensors) {
  std::vector<TensorGroup> pages;
  int64_t used_bytes = kPlacementAlignmentBytes;
  for (const TensorIndex t : tensors) {
    const int64_t bytes = SharedBytes(graph.tensors[t]);
    if (used_bytes + bytes > kPlacementAlignmentBytes) {
      pages.push_back({.size_bytes = kPlacementAlignmentBytes, .batch = true});
      used_bytes = 0;
    }
    pages.back().members.push_back({t, used_bytes});
    used_bytes += bytes;
  }
  return pages;
}

// Keeps what the reserved space holds while each kernel runs.
class ReservedSpace {
 public:
  ReservedSpace(const Graph& graph, double share)
      : graph_(graph),
        limit_bytes_(static_cast<int64_t>(
            share * static_cast<double>(ComputeLiveness(graph).peak_bytes))),
        held_bytes_(graph.kernels.size()) {}

  // Takes room for the page; returns false if some kernel has none.
  bool Take(const TensorGroup& page) {
    const Span needed = NeededAt(page);
    const auto begin = held_bytes_.begin() + needed.begin;
    const auto end = held_bytes_.begin() + needed.end;
    if (std::any_of(begin, end, [&](int64_t held) {
          return held + page.size_bytes > limit_bytes_;
        })) {
      return false;
    }
    std::for_each(begin, end, [&](int64_t& held) { held += page.size_bytes; });
    return true;
  }

 private:
  Span NeededAt(const TensorGroup& page) const {
    const Tensor& first = graph_.tensors[page.members.front().tensor];
    if (first.alive_at_start()) return {0, graph_.kernel_count()};
    Span needed{first.birth_kernel, 0};
    for (const TensorGroup::Member& member : page.members) {
      needed.end =
          std::max(needed.end, graph_.tensors[member.tensor].death_kernel + 1);
    }
    return needed;
  }

  const Graph& graph_;
  const int64_t limit_bytes_;
  std::vector<int64_t> held_bytes_;  // by kernel
};

}  // namespace

KernelIndex AllocationKernel(const Tensor& tensor) {
  return tensor.alive_at_start() ? 0 : tensor.birth_kernel;
}

std::vector<TensorGroup> BatchMicroTensors(
    const Graph& graph, const MemorySystem& system, const Plan& plan,
    const std::vector<TensorResidencies>& residencies,
    const AccessIndex& accesses, const BatchingSettings& settings) {
  const auto count = [&](TensorIndex t) {
    return accesses.FutureAccesses(t, AllocationKernel(graph.tensors[t]));
  };
  std::map<std::tuple<KernelIndex, KernelIndex, Route>,
           std::vector<TensorIndex>>
      together;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.size_bytes >= settings.micro_bytes ||
        tensor.size_bytes >= kPlacementAlignmentBytes ||
        count(t) < settings.least_accesses ||
        !OnlyInPlace(system, residencies[t])) {
      continue;
    }
    together[{AllocationKernel(tensor), tensor.birth_kernel,
              RouteOf(graph, plan, residencies[t], t)}]
        .push_back(t);
  }
  std::vector<TensorGroup> pages;
  for (auto& [key, tensors] : together) {
    std::stable_sort(
        tensors.begin(), tensors.end(), [&](TensorIndex a, TensorIndex b) {
          return std::tuple(-count(a), -graph.tensors[a].size_bytes) <
                 std::tuple(-count(b), -graph.tensors[b].size_bytes);
        });
    for (TensorGroup& page : FillPages(graph, tensors)) {
      pages.push_back(std::move(page));
    }
  }
  std::stable_sort(pages.begin(), pages.end(),
                   [&](const TensorGroup& a, const TensorGroup& b) {
                     return count(a.members.front().tensor) >
                            count(b.members.front().tensor);
                   });
  ReservedSpace space(graph, settings.reserved_share);
  std::erase_if(pages,
                [&](const TensorGroup& page) { return !space.Take(page); });
  return pages;
}

}  // namespace stowage::policies
