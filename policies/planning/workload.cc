#include "policies/planning/workload.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/layout/address_layout.h"
#include "policies/model/byte_size.h"
#include "policies/model/liveness.h"
#include "policies/plan/limit_too_small.h"

namespace stowage::policies {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kMostWindowBytes = 64 * kMiB;
// A window is large enough if it has this share of the arena, as in demand mode
// (demand_placer.cc), or of what streams through it: a matrix product comes back
// to what it has read, and reads again what the window has lost meanwhile. What a
// kernel is known to have streamed through without that is enough for it, too,
// unless it leaves no room to read ahead.
constexpr double kWindowShare = 2.0 / 3;
constexpr double kStreamedShare = 1.0 / 2;
constexpr int64_t kLeastKnownWindowBytes = 4 * kMiB;
// Windows are multiples of this.
constexpr int64_t kWindowStepBytes = kMiB / 4;

// Says how kernels can use a tensor that is not in the fast tier.
enum class SlowAccess { kNone, kInPlace, kStreamed };

SlowAccess FindSlowAccess(const MemorySystem& system) {
  SlowAccess access = SlowAccess::kNone;
  for (TierIndex t = 1; t < system.tier_count(); ++t) {
    if (system.tiers[t].addressable) return SlowAccess::kInPlace;
    if (system.tiers[t].streamable) access = SlowAccess::kStreamed;
  }
  return access;
}

// Says what one kernel wants in the fast tier.
struct KernelDemand {
  int64_t fixed_bytes = 0;   // pinned and workspace: cannot be elsewhere
  int64_t window_bytes = 0;  // to stream through
  int64_t operand_bytes = 0;
  int64_t birth_bytes = 0;
  // Operands, workspaces and tensors that are born, ascending.
  std::vector<TensorIndex> tensors;
  // The movable ones among them.
  std::vector<TensorIndex> operands;
  std::vector<TensorIndex> births;  // not operands
};

// Returns the room for the pinned tensors. They are placed before everything
// else and keep this room for the whole step, so that staged tensors always fit
// above them, however their lifetimes interleave.
int64_t PinnedBytes(const Graph& graph) {
  const KernelIndex end = graph.kernel_count() + 1;
  std::vector<LayoutItem> items;
  for (const Tensor& tensor : graph.tensors) {
    if (!tensor.pinned) continue;
    LayoutItem item{.size_bytes = RoundUpToPlacement(tensor.size_bytes)};
    if (tensor.persistent) {
      item.spans[0] = {0, end};
    } else if (tensor.wraps()) {
      item.spans = {Span{0, tensor.death_kernel + 1},
                    Span{tensor.birth_kernel, end}};
    } else {
      item.spans[0] = {tensor.birth_kernel, tensor.death_kernel + 1};
    }
    items.push_back(item);
  }
  return LayoutPeakBytes(items);
}

void AddToDemand(const Tensor& tensor, TensorIndex t, bool is_operand,
                 KernelDemand& demand) {
  demand.tensors.push_back(t);
  const int64_t bytes = RoundUpToPlacement(tensor.size_bytes);
  if (tensor.kind == TensorKind::kStreamWindow) {
    demand.window_bytes += bytes;
  } else if (tensor.movable()) {
    (is_operand ? demand.operands : demand.births).push_back(t);
    (is_operand ? demand.operand_bytes : demand.birth_bytes) += bytes;
  } else if (!tensor.pinned) {
    demand.fixed_bytes += bytes;
  }
}

std::vector<KernelDemand> FindDemands(const Graph& graph) {
  std::vector<KernelDemand> demands(graph.kernels.size());
  const auto births = BirthsByKernel(graph);
  const int64_t pinned_bytes = PinnedBytes(graph);
  std::vector<KernelIndex> listed(graph.tensors.size(), -1);
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    KernelDemand& demand = demands[k];
    const std::vector<Operand>& operands = graph.kernels[k].operands;
    demand.fixed_bytes = pinned_bytes;
    demand.tensors.reserve(operands.size() + births[k].size());
    demand.operands.reserve(operands.size());
    for (const Operand& operand : operands) {
      const TensorIndex t = operand.tensor;
      listed[t] = k;
      AddToDemand(graph.tensors[t], t, true, demand);
    }
    for (TensorIndex t : births[k]) {
      if (listed[t] != k) AddToDemand(graph.tensors[t], t, false, demand);
    }
    std::sort(demand.tensors.begin(), demand.tensors.end());
  }
  return demands;
}

// Sorts the largest first; the first among equals stays first.
void SortBySize(const Graph& graph, std::vector<TensorIndex>& tensors) {
  std::stable_sort(
      tensors.begin(), tensors.end(), [&](TensorIndex a, TensorIndex b) {
        return graph.tensors[a].size_bytes > graph.tensors[b].size_bytes;
      });
}

// Returns the bytes that must be in the fast tier if all else is left slow.
int64_t LeastNeed(const KernelDemand& demand, SlowAccess access) {
  return demand.fixed_bytes +
         (access == SlowAccess::kNone ? demand.operand_bytes : 0);
}

int64_t FullNeed(const KernelDemand& demand) {
  return demand.fixed_bytes + demand.window_bytes + demand.operand_bytes +
         demand.birth_bytes;
}

// Returns the kernel's operand; null if it does not list the tensor.
const Operand* FindOperand(const Kernel& kernel, TensorIndex t) {
  const auto operand = absl::c_find_if(
      kernel.operands, [t](const Operand& o) { return o.tensor == t; });
  return operand == kernel.operands.end() ? nullptr : &*operand;
}

// Returns how badly a tensor may stream. 0: the kernel is known to read nothing
// twice then. 2: the kernel jumps about in it.
int Doubt(const Kernel& kernel, TensorIndex t) {
  const Operand* operand = FindOperand(kernel, t);
  if (operand == nullptr) return 1;
  if (operand->scattered) return 2;
  return kernel.streamed.window_bytes > 0 && operand->streamed ? 0 : 1;
}

// Returns the tensors that the kernel may leave slow, in that order: those that
// it streamed and read once, then those that are born, then operands, the largest
// first, and scattered ones last.
std::vector<TensorIndex> SlowCandidates(const Graph& graph, SlowAccess access,
                                        KernelIndex k, KernelDemand demand) {
  SortBySize(graph, demand.births);
  if (access == SlowAccess::kNone) return std::move(demand.births);
  SortBySize(graph, demand.operands);
  demand.births.insert(demand.births.end(), demand.operands.begin(),
                       demand.operands.end());
  const Kernel& kernel = graph.kernels[k];
  absl::c_stable_sort(demand.births, [&](TensorIndex a, TensorIndex b) {
    return Doubt(kernel, a) < Doubt(kernel, b);
  });
  return std::move(demand.births);
}

// Leaves the largest tensors of kernel `k` slow until the rest fits.
void FillKernel(const Graph& graph, KernelDemand demand, SlowAccess access,
                KernelIndex k, Workload& workload) {
  int64_t& need = workload.need_bytes[k];
  std::vector<TensorIndex>& staged = workload.staged[k];
  need = FullNeed(demand);
  staged = std::move(demand.tensors);
  if (need <= workload.arena_bytes) return;
  std::vector<TensorIndex>& left = workload.left_slow[k];
  for (TensorIndex t : SlowCandidates(graph, access, k, std::move(demand))) {
    if (need <= workload.arena_bytes) break;
    need -= RoundUpToPlacement(graph.tensors[t].size_bytes);
    left.push_back(t);
  }
  std::sort(left.begin(), left.end());
  std::erase_if(staged, [&](TensorIndex t) {
    return std::binary_search(left.begin(), left.end(), t);
  });
  if (access != SlowAccess::kStreamed) return;
  Stream stream{.kernel = k};
  for (const Operand& operand : graph.kernels[k].operands) {
    if (std::binary_search(left.begin(), left.end(), operand.tensor)) {
      stream.tensors.push_back(operand.tensor);
    }
  }
  if (!stream.tensors.empty()) workload.streams.push_back(std::move(stream));
}

// Returns whether the kernel has to stream operands.
bool Streams(const KernelDemand& demand, int64_t arena_bytes) {
  return LeastNeed(demand, SlowAccess::kNone) > arena_bytes;
}

int64_t WholeSteps(int64_t bytes) {
  return bytes / kWindowStepBytes * kWindowStepBytes;
}

// Returns the least limit with which a need and the smallest window fit.
int64_t LimitForStreaming(int64_t need_bytes) {
  return std::max(4 * kWindowStepBytes, need_bytes + kWindowStepBytes);
}

// Returns the bytes that must be in the fast tier at the fullest kernel.
LeastLimit FullestKernel(const Graph& graph, SlowAccess access,
                         const std::vector<KernelDemand>& demands) {
  LeastLimit fullest;
  const int64_t unmanaged = RoundUpToPlacement(graph.unmanaged_peak_bytes);
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    const int64_t bytes = LeastNeed(demands[k], access) + unmanaged;
    if (bytes > fullest.bytes) fullest = {bytes, k};
  }
  return fullest;
}

LeastLimit FindLeast(const Graph& graph, SlowAccess access,
                     const std::vector<KernelDemand>& demands) {
  const LeastLimit least = FullestKernel(graph, access, demands);
  if (access != SlowAccess::kStreamed) return least;
  const LeastLimit whole = FullestKernel(graph, SlowAccess::kNone, demands);
  const int64_t streaming_bytes = LimitForStreaming(least.bytes);
  if (whole.bytes <= streaming_bytes) return whole;
  return {streaming_bytes, whole.kernel};
}

int64_t ArenaFor(const Graph& graph, int64_t fast_limit_bytes) {
  return fast_limit_bytes - RoundUpToPlacement(graph.unmanaged_peak_bytes);
}

absl::Status TooSmall(const Graph& graph, const MemorySystem& system,
                      const LeastLimit& least, int64_t limit_bytes) {
  const std::string& kernel_name = graph.kernels[least.kernel].name;
  return LimitTooSmallError(
      {.least_limit_bytes = least.bytes,
       .kernel = least.kernel,
       .kernel_name = kernel_name},
      absl::StrCat(DescribeFastLimit(system, limit_bytes),
                   " is below what kernel ", least.kernel, " (", kernel_name,
                   ") needs; the least limit that works is ",
                   DescribeBytes(least.bytes)));
}

// Returns the room that a kernel streams through: what is left when so many
// tensors stream that this is enough for them.
int64_t WindowBytes(const Graph& graph, int64_t arena_bytes, KernelIndex k,
                    const KernelDemand& demand) {
  int64_t enough_bytes =
      std::min<int64_t>(kMostWindowBytes, kWindowShare * arena_bytes);
  const int64_t known_bytes = graph.kernels[k].streamed.window_bytes;
  if (known_bytes > 0) {
    enough_bytes =
        std::min(enough_bytes, std::max(known_bytes, kLeastKnownWindowBytes));
  }
  int64_t left_bytes = arena_bytes - FullNeed(demand);
  int64_t streamed_bytes = 0;
  for (TensorIndex t :
       SlowCandidates(graph, SlowAccess::kStreamed, k, demand)) {
    const int64_t bytes = RoundUpToPlacement(graph.tensors[t].size_bytes);
    streamed_bytes += bytes;
    left_bytes += bytes;
    if (left_bytes >=
        std::min<int64_t>(enough_bytes, kStreamedShare * streamed_bytes)) {
      break;
    }
  }
  return WholeSteps(std::min(kMostWindowBytes, left_bytes));
}

}  // namespace

std::string DescribeFastLimit(const MemorySystem& system,
                              int64_t fast_limit_bytes) {
  const Tier& fast = system.tiers[kFastTier];
  std::string limit =
      absl::StrCat("fast limit ", DescribeBytes(fast_limit_bytes));
  if (fast.capacity_bytes != fast_limit_bytes) return limit;
  return absl::StrCat(limit, ", the capacity of tier '", fast.name, "',");
}

LeastLimit FindLeastLimit(const Graph& graph, const MemorySystem& system) {
  return FindLeast(graph, FindSlowAccess(system), FindDemands(graph));
}

std::optional<Graph> WithStreamWindows(const Graph& graph,
                                       const MemorySystem& system,
                                       int64_t fast_limit_bytes) {
  const SlowAccess access = FindSlowAccess(system);
  if (access != SlowAccess::kStreamed) return std::nullopt;
  const std::vector<KernelDemand> demands = FindDemands(graph);
  if (fast_limit_bytes < FindLeast(graph, access, demands).bytes) {
    return std::nullopt;
  }
  const int64_t arena_bytes = ArenaFor(graph, fast_limit_bytes);
  std::optional<Graph> with_windows;
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    const bool has_one = demands[k].window_bytes > 0;
    if (has_one || !Streams(demands[k], arena_bytes)) continue;
    if (!with_windows.has_value()) with_windows = graph;
    with_windows->tensors.push_back(
        {.size_bytes = WindowBytes(graph, arena_bytes, k, demands[k]),
         .kind = TensorKind::kStreamWindow,
         .birth_kernel = k,
         .death_kernel = k,
         .name = "stream window"});
  }
  return with_windows;
}

absl::StatusOr<Workload> MakeWorkload(const Graph& graph,
                                      const MemorySystem& system,
                                      int64_t fast_limit_bytes,
                                      const Cancellation& cancellation) {
  const SlowAccess access = FindSlowAccess(system);
  std::vector<KernelDemand> demands = FindDemands(graph);
  const LeastLimit least = FindLeast(graph, access, demands);
  if (fast_limit_bytes < least.bytes) {
    return TooSmall(graph, system, least, fast_limit_bytes);
  }
  Workload workload;
  workload.fast_limit_bytes = fast_limit_bytes;
  workload.cancellation = cancellation;
  workload.arena_bytes = ArenaFor(graph, fast_limit_bytes);
  const bool streams = absl::c_any_of(demands, [&](const KernelDemand& demand) {
    return Streams(demand, workload.arena_bytes);
  });
  const SlowAccess used =
      access == SlowAccess::kStreamed && !streams ? SlowAccess::kNone : access;
  workload.staged.resize(graph.kernels.size());
  workload.left_slow.resize(graph.kernels.size());
  workload.need_bytes.resize(graph.kernels.size());
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    FillKernel(graph, std::move(demands[k]), used, k, workload);
  }
  return workload;
}

}  // namespace stowage::policies
