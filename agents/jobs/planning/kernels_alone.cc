#include "agents/jobs/planning/kernels_alone.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace stowage::agent {
namespace {

int64_t PeakBytesPerSecond(
    const google::protobuf::RepeatedPtrField<v1::BandwidthPoint>& curve) {
  int64_t peak = 1;
  for (const v1::BandwidthPoint& point : curve) {
    peak = std::max(peak, point.bytes_per_second());
  }
  return peak;
}

// Returns the share of the fast tier's bandwidth that the kernel's operands
// take, as memory_system.proto defines it.
double MemoryShare(const v1::Graph& graph, const v1::Kernel& kernel,
                   const v1::Tier& fast, int64_t duration_ns) {
  const auto read = static_cast<double>(PeakBytesPerSecond(fast.read()));
  const auto write = static_cast<double>(PeakBytesPerSecond(fast.write()));
  double busy_s = 0;
  for (const v1::Operand& operand : kernel.operands()) {
    const double bytes =
        static_cast<double>(graph.tensors(operand.tensor()).size_bytes()) *
        operand.access_count();
    if (operand.read()) busy_s += bytes / read;
    if (operand.write()) busy_s += bytes / write;
  }
  return std::min(1.0, 1e9 * busy_s / static_cast<double>(duration_ns));
}

// Returns the part of `beside_ns` that the kernel would not have taken alone.
double Slowed(const v1::Slowdown& slowdown, double memory_share,
              int64_t beside_ns) {
  return std::lerp(slowdown.compute(), slowdown.memory(), memory_share) *
         static_cast<double>(beside_ns);
}

}  // namespace

void TakeOutSlowdowns(const CapturedProfile& profile,
                      const v1::MemorySystem& system, v1::Graph* graph) {
  v1::Slowdown out, in;
  for (const v1::CopyCurve& curve : system.copies()) {
    if (curve.from_tier() == 0) out = curve.slowdown();
    if (curve.to_tier() == 0) in = curve.slowdown();
  }
  for (int k = 0; k < graph->kernels_size(); ++k) {
    const session::LaneTimes& beside = profile.kernels[k].beside;
    v1::ProfiledDuration& duration = *graph->mutable_kernels(k)
                                          ->mutable_profile()
                                          ->mutable_fast_inputs_fast_outputs();
    const int64_t ns = duration.duration_ns();
    if (ns == 0 || (beside.out_ns == 0 && beside.in_ns == 0)) continue;
    const double share =
        MemoryShare(*graph, graph->kernels(k), system.tiers(0), ns);
    const double slowed_share =
        (Slowed(out, share, beside.out_ns) + Slowed(in, share, beside.in_ns)) /
        static_cast<double>(ns);
    duration.set_duration_ns(
        std::llround(static_cast<double>(ns) / (1 + slowed_share)));
  }
}

}  // namespace stowage::agent
