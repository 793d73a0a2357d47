#include "policies/simulate/interference.h"

#include <algorithm>
#include <cmath>

#include "absl/container/inlined_vector.h"
#include "policies/simulate/later.h"

namespace stowage::policies {
namespace {

// Of the fast tier's peak bandwidth, at most 1.
double MemoryShare(const Graph& graph, const Kernel& kernel, const Tier& fast) {
  double busy_s = 0;
  for (const Operand& operand : kernel.operands) {
    const double bytes =
        static_cast<double>(graph.tensors[operand.tensor].size_bytes) *
        operand.access_count;
    if (operand.read) busy_s += bytes / fast.peak_read_bytes_per_second();
    if (operand.write) busy_s += bytes / fast.peak_write_bytes_per_second();
  }
  const int64_t ns = kernel.profile.fast_inputs_fast_outputs.duration_ns;
  return std::min(1.0, busy_s * 1e9 / std::max<int64_t>(ns, 1));
}

struct Busy {
  int64_t until_ns = 0;
  double slowdown = 0;
};

}  // namespace

Interference::Interference(const Graph& graph, const MemorySystem& system,
                           const std::vector<Lane>& lanes) {
  for (const Lane& lane : lanes) {
    lanes_.push_back(system.SlowdownBeside(lane.from, lane.to));
  }
  const bool none = std::all_of(
      lanes_.begin(), lanes_.end(),
      [](const Slowdown& slowdown) { return slowdown == Slowdown{}; });
  if (none) return;
  for (const Kernel& kernel : graph.kernels) {
    memory_share_.push_back(MemoryShare(graph, kernel, system.tiers.front()));
  }
}

int64_t Interference::SlowedNs(KernelIndex k, int64_t start_ns,
                               int64_t duration_ns,
                               absl::Span<const int64_t> free_ns) const {
  absl::InlinedVector<Busy, 4> busy;
  double slowdown = 0;
  for (size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (free_ns[lane] <= start_ns) continue;
    busy.push_back(
        {free_ns[lane], std::lerp(lanes_[lane].compute, lanes_[lane].memory,
                                  memory_share_[k])});
    slowdown += busy.back().slowdown;
  }
  std::sort(busy.begin(), busy.end(), [](const Busy& a, const Busy& b) {
    return a.until_ns < b.until_ns;
  });
  auto left_ns = static_cast<double>(duration_ns);
  int64_t now_ns = start_ns;
  for (const Busy& lane : busy) {
    const double done_ns =
        static_cast<double>(lane.until_ns - now_ns) / (1 + slowdown);
    if (done_ns >= left_ns) break;
    left_ns -= done_ns;
    now_ns = lane.until_ns;
    slowdown -= lane.slowdown;
  }
  if (now_ns == start_ns && slowdown <= 0) return duration_ns;
  const double rest_ns = left_ns * (1 + std::max(0.0, slowdown));
  return LaterNs(
      now_ns - start_ns,
      static_cast<int64_t>(std::llround(std::min(rest_ns, kLongestNs))));
}

}  // namespace stowage::policies
