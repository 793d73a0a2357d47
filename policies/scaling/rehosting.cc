#include "policies/scaling/rehosting.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "policies/scaling/roofline.h"

namespace stowage::policies {
namespace {

constexpr double kMostNs = static_cast<double>(int64_t{1} << 50);

int64_t RehostedNs(const KernelWork& work, int64_t duration_ns,
                   int64_t launch_ns, const ProcessorPeak& there,
                   const ProcessorPeak& here) {
  const double there_ns = RooflineNs(work, there);
  if (there_ns <= 0) return duration_ns;
  const double share =
      ReachedShare(there_ns, static_cast<double>(duration_ns - launch_ns));
  const double ns =
      static_cast<double>(launch_ns) + RooflineNs(work, here) / share;
  return static_cast<int64_t>(std::min(std::round(ns), kMostNs));
}

}  // namespace

ProcessorPeak PeakOf(const MemorySystem& system) {
  return {system.processor_flops_per_second,
          system.tiers[kFastTier].peak_read_bytes_per_second()};
}

bool NeedsRehosting(const Graph& graph, const MemorySystem& system) {
  return graph.processor_peak.known() && PeakOf(system).known() &&
         graph.processor != system.processor &&
         std::any_of(graph.kernels.begin(), graph.kernels.end(),
                     [](const Kernel& kernel) { return kernel.flops > 0; });
}

Graph Rehost(Graph graph, const MemorySystem& system) {
  const ProcessorPeak here = PeakOf(system);
  const int64_t launch_ns = LaunchNs(graph);
  for (Kernel& kernel : graph.kernels) {
    const KernelWork work = WorkOf(graph, kernel);
    const auto rehost = [&](KernelProfile& profile) {
      const int64_t duration_ns =
          RehostedNs(work, profile.fast_inputs_fast_outputs.duration_ns,
                     launch_ns, graph.processor_peak, here);
      profile = {
          .fast_inputs_fast_outputs = {duration_ns, DurationSource::kRehosted}};
    };
    rehost(kernel.profile);
    kernel.streamed = {};  // another device streams at another speed
    for (KernelImplementation& alternative : kernel.alternatives) {
      rehost(alternative.profile);
    }
  }
  graph.streamed = {};
  graph.processor = system.processor;
  graph.processor_peak = here;
  return graph;
}

std::string_view DurationOrigin(const Graph& graph) {
  std::array<int64_t, 3> total_ns = {};  // measured, rehosted, derived
  for (const Kernel& kernel : graph.kernels) {
    const ProfiledDuration& fast = kernel.profile.fast_inputs_fast_outputs;
    const size_t origin = fast.source == DurationSource::kMeasured   ? 0
                          : fast.source == DurationSource::kRehosted ? 1
                                                                     : 2;
    total_ns[origin] += fast.duration_ns;
  }
  constexpr std::array<std::string_view, 3> kNames = {"measured", "rehosted",
                                                      "derived"};
  return kNames[std::max_element(total_ns.begin(), total_ns.end()) -
                total_ns.begin()];
}

}  // namespace stowage::policies
