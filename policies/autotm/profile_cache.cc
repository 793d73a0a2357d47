#include "policies/autotm/profile_cache.h"

#include <array>

#include "absl/strings/str_cat.h"

namespace stowage {
namespace {

// Texts carry their length, so that no two different kernels share a key.
std::string KeyOf(const Graph& graph, const Kernel& kernel) {
  std::string key = absl::StrCat(graph.processor.size(), ":", graph.processor,
                                 kernel.name.size(), ":", kernel.name);
  for (const Operand& operand : kernel.operands) {
    absl::StrAppend(&key, ";", graph.tensors[operand.tensor].size_bytes,
                    operand.read ? "r" : "", operand.write ? "w" : "",
                    operand.access_count);
  }
  return key;
}

std::array<ProfiledDuration*, 4> Corners(KernelProfile& profile) {
  return {&profile.fast_inputs_fast_outputs, &profile.fast_inputs_slow_outputs,
          &profile.slow_inputs_fast_outputs, &profile.slow_inputs_slow_outputs};
}

bool Unknown(const ProfiledDuration& corner) {
  return corner.source == DurationSource::kUnspecified;
}

}  // namespace

void ProfileCache::Learn(const Graph& graph) {
  for (const Kernel& kernel : graph.kernels) {
    KernelProfile profile = kernel.profile;
    KernelProfile& known = profiles_[KeyOf(graph, kernel)];
    for (size_t c = 0; c < 4; ++c) {
      const ProfiledDuration& corner = *Corners(profile)[c];
      if (corner.source != DurationSource::kMeasured) continue;
      if (Unknown(*Corners(known)[c])) *Corners(known)[c] = corner;
    }
  }
}

int ProfileCache::Fill(Graph& graph) const {
  int filled = 0;
  for (Kernel& kernel : graph.kernels) {
    const auto found = profiles_.find(KeyOf(graph, kernel));
    if (found == profiles_.end()) continue;
    KernelProfile known = found->second;
    for (size_t c = 0; c < 4; ++c) {
      if (!Unknown(*Corners(kernel.profile)[c])) continue;
      if (Unknown(*Corners(known)[c])) continue;
      *Corners(kernel.profile)[c] = *Corners(known)[c];
      ++filled;
    }
  }
  return filled;
}

}  // namespace stowage
