#include "policies/bound/tensor_life.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "policies/model/kernel_cost.h"
#include "policies/model/liveness.h"
#include "policies/plan/plan.h"

namespace stowage::policies {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

TierIndex ReferenceTier(const MemorySystem& system) {
  for (TierIndex t = 1; t < system.tier_count(); ++t) {
    if (system.tiers[t].addressable) return t;
  }
  return kFastTier;
}

// Says how much more bytes in an addressable tier count than bytes in the
// reference tier (kernel_cost.h).
struct Weights {
  double read = 1;
  double write = 1;
};

double Extra(int64_t slow_bytes_per_second, int64_t fast_bytes_per_second) {
  return std::max(0.0,
                  1e9 / slow_bytes_per_second - 1e9 / fast_bytes_per_second);
}

Weights WeightsOf(const MemorySystem& system, TierIndex tier) {
  const Tier& fast = system.tiers[kFastTier];
  const Tier& slow = system.tiers[tier];
  const Tier& reference = system.tiers[ReferenceTier(system)];
  const double read = Extra(reference.peak_read_bytes_per_second(),
                            fast.peak_read_bytes_per_second());
  const double write = Extra(reference.peak_write_bytes_per_second(),
                             fast.peak_write_bytes_per_second());
  Weights weights;
  if (read > 0) {
    weights.read = Extra(slow.peak_read_bytes_per_second(),
                         fast.peak_read_bytes_per_second()) /
                   read;
  }
  if (write > 0) {
    weights.write = Extra(slow.peak_write_bytes_per_second(),
                          fast.peak_write_bytes_per_second()) /
                    write;
  }
  return weights;
}

std::vector<Weights> AddressableTiers(const MemorySystem& system) {
  std::vector<Weights> weights;
  for (TierIndex t = 1; t < system.tier_count(); ++t) {
    if (system.tiers[t].addressable) weights.push_back(WeightsOf(system, t));
  }
  return weights;
}

// Bounds the kernel's duration by a plane over the slow shares of its inputs
// and outputs. The duration is bilinear, so a plane that is below it at the
// corners is below it everywhere between them.
struct Plane {
  double at_fast_ns = 0;
  double inputs_ns = 0;
  double outputs_ns = 0;
};

Plane PlaneBelow(const KernelProfile& profile, double most_in,
                 double most_out) {
  const double ff = profile.fast_inputs_fast_outputs.duration_ns;
  const double fs = profile.fast_inputs_slow_outputs.duration_ns - ff;
  const double sf = profile.slow_inputs_fast_outputs.duration_ns - ff;
  const double both =
      profile.slow_inputs_slow_outputs.duration_ns - ff - fs - sf;
  // Durations are rounded to nanoseconds, hence the one less.
  const double sum = sf * most_in + fs * most_out;
  const double lost = std::min(0.0, both * most_in * most_out);
  if (lost == 0) return {ff - 1, sf, fs};
  // Both slow cost less than each adds: take a plane that is less steep or, if
  // that cannot be, lower.
  if (sf >= 0 && fs >= 0 && sum + lost >= 0) {
    const double share = (sum + lost) / sum;
    return {ff - 1, share * sf, share * fs};
  }
  return {ff + lost - 1, sf, fs};
}

// Returns the highest shares there can be: operands weigh more in a third tier.
Weights MostShares(const std::vector<Weights>& tiers) {
  Weights most;
  if (tiers.empty()) most = {0, 0};
  for (const Weights& tier : tiers) {
    most.read = std::max(most.read, tier.read);
    most.write = std::max(most.write, tier.write);
  }
  return most;
}

// Returns a plane above the duration, level or rising.
Plane PlaneAbove(const KernelProfile& profile, double most_in,
                 double most_out) {
  const double ff = profile.fast_inputs_fast_outputs.duration_ns;
  const double fs = profile.fast_inputs_slow_outputs.duration_ns - ff;
  const double sf = profile.slow_inputs_fast_outputs.duration_ns - ff;
  const double both =
      profile.slow_inputs_slow_outputs.duration_ns - ff - fs - sf;
  // What both slow cost beyond each is shared between the two: x y is below
  // most_out x, and below most_in y.
  const double more = std::max(0.0, both) / 2;
  return {ff + 1, std::max(0.0, sf + more * most_out),
          std::max(0.0, fs + more * most_in)};
}

struct Shares {
  double read = 0;
  double written = 0;
};

// Says by how much a kernel is slower when one of its operands is slow.
struct SlowRange {
  double least_ns = 0;
  double most_ns = 0;
};

SlowRange StreamRange(const Graph& graph, const MemorySystem& system,
                      const Kernel& kernel, const Operand& operand) {
  SlowRange range = {kInfinite, 0};
  for (TierIndex t = 1; t < system.tier_count(); ++t) {
    if (!system.tiers[t].streamable) continue;
    const auto ns =
        static_cast<double>(StreamNs(graph, kernel, operand, system, t));
    range.least_ns = std::min(range.least_ns, ns);
    range.most_ns = std::max(range.most_ns, ns);
  }
  return range;
}

double SlopeNs(const Operand& operand, const Plane& plane,
               const Weights& weights, double accessed, const Shares& total) {
  double ns = 0;
  if (operand.read && total.read > 0) {
    ns += plane.inputs_ns * accessed * weights.read / total.read;
  }
  if (operand.write && total.written > 0) {
    ns += plane.outputs_ns * accessed * weights.write / total.written;
  }
  return ns;
}

SlowRange FindSlowRange(const Graph& graph, const MemorySystem& system,
                        const Kernel& kernel, const Operand& operand,
                        const Plane& below, const Plane& above,
                        const std::vector<Weights>& tiers,
                        const Shares& total) {
  const int64_t bytes = graph.tensors[operand.tensor].size_bytes;
  SlowRange range = StreamRange(graph, system, kernel, operand);
  const double accessed = static_cast<double>(bytes) * operand.access_count;
  double most = 0;
  for (const Weights& weights : tiers) {
    range.least_ns = std::min(
        range.least_ns, SlopeNs(operand, below, weights, accessed, total));
    most = std::max(most, SlopeNs(operand, above, weights, accessed, total));
  }
  range.most_ns += most;
  return range;
}

// Returns a bandwidth that no copy of at most `most_bytes` exceeds.
double BestBytesPerSecond(const MemorySystem& system, TierIndex from,
                          TierIndex to, int64_t most_bytes) {
  double best = static_cast<double>(
      std::min(system.tiers[from].peak_read_bytes_per_second(),
               system.tiers[to].peak_write_bytes_per_second()));
  for (const CopyCurve& curve : system.copies) {
    if (curve.from_tier != from || curve.to_tier != to) continue;
    // Between the points of the curve, bandwidth is linear.
    const int64_t copy_ns =
        system.CopyDurationNs(from, to, most_bytes) - curve.setup_ns - 1;
    best = static_cast<double>(most_bytes) * 1e9 /
           static_cast<double>(std::max<int64_t>(copy_ns, 1));
    for (const CopyPoint& point : curve.points) {
      if (point.buffer_bytes > most_bytes) continue;
      best = std::max(best, static_cast<double>(point.bytes_per_second));
    }
  }
  return best;
}

// A copy counts as ended when this is left of it, at most.
constexpr double kClockNs = 2;

// Returns what `bytes` add to a copy, at least. Contiguous moves are one copy,
// but all of it is in the fast tier at one time.
double LeastCopyNs(const MemorySystem& system, TierIndex from, TierIndex to,
                   int64_t bytes, int64_t fast_limit_bytes) {
  const int64_t most_bytes = std::max(bytes, fast_limit_bytes);
  const double copy_ns = static_cast<double>(bytes) * 1e9 /
                         BestBytesPerSecond(system, from, to, most_bytes);
  // Clocks of lanes that slow each other are rounded (lane_clocks.h).
  const bool is_slowed =
      system.BothWaysShare(from, to) < 1 || system.BothWaysShare(to, from) < 1;
  return std::max(0.0, copy_ns - (is_slowed ? kClockNs : 0));
}

TensorLife MakeLife(const Graph& graph, const MemorySystem& system,
                    const KernelRoom& room, TensorIndex t) {
  const Tensor& tensor = graph.tensors[t];
  const KernelIndex step = graph.kernel_count() + 1;
  TensorLife life;
  life.bytes = static_cast<double>(OwnBytes(tensor.size_bytes));
  life.movable = tensor.movable();
  life.cyclic = tensor.persistent;
  life.begin = tensor.persistent ? 0 : tensor.birth_kernel;
  life.end = tensor.persistent
                 ? step - 1
                 : tensor.death_kernel + (tensor.wraps() ? step : 0);
  for (TierIndex tier = 1; tier < system.tier_count(); ++tier) {
    life.out_ns.push_back(LeastCopyNs(system, kFastTier, tier,
                                      tensor.size_bytes, room.limit_bytes));
    life.in_ns.push_back(LeastCopyNs(system, tier, kFastTier, tensor.size_bytes,
                                     room.limit_bytes));
  }
  // Being born slow costs nothing in itself, nor does the end of a step.
  if (tensor.persistent) {
    life.stops = {{.kernel = -1}, {.kernel = step - 1}};
  } else {
    life.stops.push_back({.kernel = tensor.birth_kernel});
    if (tensor.wraps()) life.stops.push_back({.kernel = step - 1});
  }
  return life;
}

// Sorts the stops and merges those at one kernel: a birth that is also a use.
void SortStops(TensorLife& life) {
  std::vector<LifeStop>& stops = life.stops;
  std::sort(
      stops.begin(), stops.end(),
      [](const LifeStop& a, const LifeStop& b) { return a.kernel < b.kernel; });
  for (size_t i = 1; i < stops.size();) {
    if (stops[i].kernel != stops[i - 1].kernel) {
      ++i;
      continue;
    }
    stops[i - 1].slow_ns += stops[i].slow_ns;
    stops[i - 1].most_slow_ns += stops[i].most_slow_ns;
    stops[i - 1].still |= stops[i].still;
    stops.erase(stops.begin() + static_cast<int>(i));
  }
}

// Finds where the tensor does not fit beside the ones that have to be in the
// fast tier.
void FindCrowding(const KernelRoom& room, KernelIndex step, TensorLife& life) {
  const auto crowded = [&](KernelIndex k) {
    return life.bytes > static_cast<double>(room.free_bytes[(k + step) % step]);
  };
  for (size_t i = 0; i < life.stops.size(); ++i) {
    LifeStop& stop = life.stops[i];
    // An operand that has to be fast is itself among those that leave no room.
    stop.can_be_fast = stop.slow_ns == kInfinite || !crowded(stop.kernel);
    const bool is_last = i + 1 == life.stops.size();
    if (is_last && life.cyclic) break;
    const KernelIndex next = is_last ? life.end + 1 : life.stops[i + 1].kernel;
    for (KernelIndex k = stop.kernel + 1; k < next; ++k) {
      if (!crowded(k)) continue;
      stop.leave_by = std::min(stop.leave_by, k);
      stop.fetch_after = k;
    }
  }
}

}  // namespace

std::vector<double> LeastKernelNs(const Graph& graph,
                                  const MemorySystem& system) {
  const Weights most = MostShares(AddressableTiers(system));
  std::vector<double> least_ns;
  for (const Kernel& kernel : graph.kernels) {
    const KernelProfile profile = CompleteProfile(graph, kernel, system);
    const Plane plane = PlaneBelow(profile, most.read, most.write);
    least_ns.push_back(static_cast<double>(kernel.gap_ns) + plane.at_fast_ns);
  }
  return least_ns;
}

std::vector<double> MostFastKernelNs(const Graph& graph,
                                     const MemorySystem& system) {
  const Weights most = MostShares(AddressableTiers(system));
  std::vector<double> most_ns;
  for (const Kernel& kernel : graph.kernels) {
    const KernelProfile profile = CompleteProfile(graph, kernel, system);
    const Plane plane = PlaneAbove(profile, most.read, most.write);
    most_ns.push_back(kernel.alternatives.empty()
                          ? static_cast<double>(kernel.gap_ns) +
                                plane.at_fast_ns
                          : kInfinite);
  }
  return most_ns;
}

std::vector<TensorLife> FindTensorLives(const Graph& graph,
                                        const MemorySystem& system,
                                        const KernelRoom& room) {
  const std::vector<Weights> tiers = AddressableTiers(system);
  const Weights most = MostShares(tiers);
  const KernelIndex step = graph.kernel_count() + 1;
  std::vector<TensorLife> lives;
  lives.reserve(graph.tensor_count());
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    lives.push_back(MakeLife(graph, system, room, t));
  }
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    const Kernel& kernel = graph.kernels[k];
    const KernelProfile profile = CompleteProfile(graph, kernel, system);
    const Plane below = PlaneBelow(profile, most.read, most.write);
    const Plane above = PlaneAbove(profile, most.read, most.write);
    Shares total;
    for (const Operand& operand : kernel.operands) {
      const double accessed =
          static_cast<double>(graph.tensors[operand.tensor].size_bytes) *
          operand.access_count;
      if (operand.read) total.read += accessed;
      if (operand.write) total.written += accessed;
    }
    for (const Operand& operand : kernel.operands) {
      const Tensor& tensor = graph.tensors[operand.tensor];
      const bool next_step = tensor.wraps() && k <= tensor.death_kernel;
      const KernelIndex at = next_step ? k + step : k;
      const SlowRange slow = FindSlowRange(graph, system, kernel, operand,
                                           below, above, tiers, total);
      lives[operand.tensor].stops.push_back({.kernel = at,
                                             .slow_ns = slow.least_ns,
                                             .most_slow_ns = slow.most_ns,
                                             .still = operand.write});
    }
  }
  // If there can be no plan, it says nothing that a tensor does not fit.
  const bool feasible =
      std::all_of(room.free_bytes.begin(), room.free_bytes.end(),
                  [](int64_t bytes) { return bytes >= 0; });
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    SortStops(lives[t]);
    if (feasible) FindCrowding(room, step, lives[t]);
  }
  return lives;
}

}  // namespace stowage::policies
