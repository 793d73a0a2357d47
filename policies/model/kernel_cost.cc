#include "policies/model/kernel_cost.h"

#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"

namespace stowage::policies {
namespace {

// How much longer than copies an operand may stream that is scattered, or of
// which nothing is known.
constexpr int64_t kDoubtFactor = 8;
constexpr double kMaxDurationNs = static_cast<double>(int64_t{1} << 50);

int64_t ToNs(double ns) {
  return static_cast<int64_t>(std::clamp(std::round(ns), 0.0, kMaxDurationNs));
}

// Returns the first slower tier that kernels can use in place, or kFastTier.
TierIndex ReferenceTier(const MemorySystem& system) {
  for (TierIndex t = 1; t < system.tier_count(); ++t) {
    if (system.tiers[t].addressable) return t;
  }
  return kFastTier;
}

// Returns how much longer reading one byte takes in `tier` than in the fast
// tier.
double ExtraReadNs(const MemorySystem& system, TierIndex tier) {
  const double slow = 1e9 / system.tiers[tier].peak_read_bytes_per_second();
  const double fast = 1e9 / system.tiers[0].peak_read_bytes_per_second();
  return std::max(0.0, slow - fast);
}

double ExtraWriteNs(const MemorySystem& system, TierIndex tier) {
  const double slow = 1e9 / system.tiers[tier].peak_write_bytes_per_second();
  const double fast = 1e9 / system.tiers[0].peak_write_bytes_per_second();
  return std::max(0.0, slow - fast);
}

double AccessedBytes(const Graph& graph, const Operand& operand) {
  return static_cast<double>(graph.tensors[operand.tensor].size_bytes) *
         operand.access_count;
}

void Derive(double ns, ProfiledDuration& corner) {
  if (corner.source != DurationSource::kUnspecified) return;
  corner = {ToNs(ns), DurationSource::kDerived};
}

double Weight(double extra, double reference) {
  return reference > 0 ? extra / reference : 1.0;
}

double ReadWeight(const MemorySystem& system, TierIndex tier,
                  TierIndex reference) {
  if (tier == reference) return 1;
  return Weight(ExtraReadNs(system, tier), ExtraReadNs(system, reference));
}

double WriteWeight(const MemorySystem& system, TierIndex tier,
                   TierIndex reference) {
  if (tier == reference) return 1;
  return Weight(ExtraWriteNs(system, tier), ExtraWriteNs(system, reference));
}

// Returns whether an operand is used in place in a slower tier.
bool UsesSlow(const Kernel& kernel, const MemorySystem& system,
              absl::FunctionRef<TierIndex(TensorIndex)> tier_of) {
  return std::any_of(kernel.operands.begin(), kernel.operands.end(),
                     [&](const Operand& operand) {
                       const TierIndex tier = tier_of(operand.tensor);
                       return tier != kFastTier &&
                              system.tiers[tier].addressable;
                     });
}

bool IsComplete(const KernelProfile& profile) {
  const auto known = [](const ProfiledDuration& corner) {
    return corner.source != DurationSource::kUnspecified;
  };
  return known(profile.fast_inputs_slow_outputs) &&
         known(profile.slow_inputs_fast_outputs) &&
         known(profile.slow_inputs_slow_outputs);
}

struct SlowShare {
  double inputs = 0;
  double outputs = 0;
};

SlowShare ComputeSlowShare(const Graph& graph, const Kernel& kernel,
                           const MemorySystem& system,
                           absl::FunctionRef<TierIndex(TensorIndex)> tier_of) {
  const TierIndex reference = ReferenceTier(system);
  double read = 0, slow_read = 0, written = 0, slow_written = 0;
  for (const Operand& operand : kernel.operands) {
    const double bytes = AccessedBytes(graph, operand);
    if (operand.read) read += bytes;
    if (operand.write) written += bytes;
    const TierIndex tier = tier_of(operand.tensor);
    if (tier == kFastTier || !system.tiers[tier].addressable) continue;
    if (operand.read) {
      slow_read += bytes * ReadWeight(system, tier, reference);
    }
    if (operand.write) {
      slow_written += bytes * WriteWeight(system, tier, reference);
    }
  }
  return {read > 0 ? slow_read / read : 0,
          written > 0 ? slow_written / written : 0};
}

// Returns whether the kernel has streamed operands, but not this one. Graphs of
// earlier versions do not say which.
bool OnlyOthersStreamed(const Kernel& kernel, const Operand& operand) {
  return kernel.streamed.bytes > 0 && !operand.streamed &&
         absl::c_any_of(kernel.operands,
                        [](const Operand& other) { return other.streamed; });
}

}  // namespace

KernelProfile CompleteProfile(const Graph& graph, const Kernel& kernel,
                              const MemorySystem& system) {
  KernelProfile profile = kernel.profile;
  if (IsComplete(profile)) return profile;
  const TierIndex slow = ReferenceTier(system);
  const double read_ns = ExtraReadNs(system, slow);
  const double write_ns = ExtraWriteNs(system, slow);
  double inputs_ns = 0, outputs_ns = 0;
  for (const Operand& operand : kernel.operands) {
    const double bytes = AccessedBytes(graph, operand);
    if (operand.read) inputs_ns += bytes * read_ns;
    if (operand.write) outputs_ns += bytes * write_ns;
  }
  const double fast_ns = profile.fast_inputs_fast_outputs.duration_ns;
  Derive(fast_ns + outputs_ns, profile.fast_inputs_slow_outputs);
  Derive(fast_ns + inputs_ns, profile.slow_inputs_fast_outputs);
  // Where the mixed corners were measured, the corner with both slow adds what
  // each of them adds.
  Derive(static_cast<double>(profile.fast_inputs_slow_outputs.duration_ns) +
             profile.slow_inputs_fast_outputs.duration_ns - fast_ns,
         profile.slow_inputs_slow_outputs);
  return profile;
}

int64_t KernelDurationNs(const Graph& graph, const Kernel& kernel,
                         const KernelProfile& profile,
                         const MemorySystem& system,
                         absl::FunctionRef<TierIndex(TensorIndex)> tier_of) {
  if (!UsesSlow(kernel, system, tier_of)) {
    return ToNs(profile.fast_inputs_fast_outputs.duration_ns);
  }
  const SlowShare slow = ComputeSlowShare(graph, kernel, system, tier_of);
  const double fast_in =
      profile.fast_inputs_fast_outputs.duration_ns * (1 - slow.outputs) +
      profile.fast_inputs_slow_outputs.duration_ns * slow.outputs;
  const double slow_in =
      profile.slow_inputs_fast_outputs.duration_ns * (1 - slow.outputs) +
      profile.slow_inputs_slow_outputs.duration_ns * slow.outputs;
  return ToNs(fast_in * (1 - slow.inputs) + slow_in * slow.inputs);
}

int64_t KernelDurationNs(const Graph& graph, const Kernel& kernel,
                         const MemorySystem& system,
                         absl::FunctionRef<TierIndex(TensorIndex)> tier_of) {
  if (!UsesSlow(kernel, system, tier_of)) {
    return ToNs(kernel.profile.fast_inputs_fast_outputs.duration_ns);
  }
  return KernelDurationNs(graph, kernel, CompleteProfile(graph, kernel, system),
                          system, tier_of);
}

int64_t StreamNs(const Graph& graph, const Kernel& kernel,
                 const Operand& operand, const MemorySystem& system,
                 TierIndex tier) {
  const int64_t bytes = graph.tensors[operand.tensor].size_bytes;
  int64_t copies_ns = 0;
  if (operand.read) copies_ns += system.CopyDurationNs(tier, kFastTier, bytes);
  if (operand.write) copies_ns += system.CopyDurationNs(kFastTier, tier, bytes);
  if (OnlyOthersStreamed(kernel, operand)) return kDoubtFactor * copies_ns;
  const MeasuredStreaming& measured =
      kernel.streamed.bytes > 0 ? kernel.streamed : graph.streamed;
  int64_t ns = copies_ns;
  if (measured.bytes > 0) {
    const int directions = (operand.read ? 1 : 0) + (operand.write ? 1 : 0);
    ns = ToNs(static_cast<double>(bytes) * directions *
              static_cast<double>(measured.duration_ns) /
              static_cast<double>(measured.bytes));
  }
  return operand.scattered ? std::max(ns, kDoubtFactor * copies_ns) : ns;
}

}  // namespace stowage::policies
