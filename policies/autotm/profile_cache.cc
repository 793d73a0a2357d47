#include "policies/autotm/profile_cache.h"

#include <array>

#include "absl/strings/str_cat.h"

namespace stowage::policies {
namespace {

// Returns the key of a kernel. Texts carry their length, so that no two
// different kernels share a key.
std::string KeyOf(const Graph& graph, const Kernel& kernel,
                  const std::string& implementation) {
  std::string key = absl::StrCat(graph.processor.size(), ":", graph.processor,
                                 kernel.name.size(), ":", kernel.name,
                                 implementation.size(), ":", implementation);
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

void LearnProfile(KernelProfile profile, KernelProfile& known) {
  for (size_t c = 0; c < 4; ++c) {
    const ProfiledDuration& corner = *Corners(profile)[c];
    if (corner.source != DurationSource::kMeasured) continue;
    if (Unknown(*Corners(known)[c])) *Corners(known)[c] = corner;
  }
}

int FillProfile(KernelProfile known, KernelProfile& profile) {
  int filled = 0;
  for (size_t c = 0; c < 4; ++c) {
    if (!Unknown(*Corners(profile)[c])) continue;
    if (Unknown(*Corners(known)[c])) continue;
    *Corners(profile)[c] = *Corners(known)[c];
    ++filled;
  }
  return filled;
}

// Calls `visit` with the profile of each implementation and its key. Only
// alternatives with a name can be told from each other.
template <typename KernelOrConst, typename Visit>
void VisitProfiles(const Graph& graph, KernelOrConst& kernel, Visit visit) {
  visit(KeyOf(graph, kernel, ""), kernel.profile);
  for (auto& alternative : kernel.alternatives) {
    if (alternative.name.empty()) continue;
    visit(KeyOf(graph, kernel, alternative.name), alternative.profile);
  }
}

}  // namespace

void ProfileCache::Learn(const Graph& graph) {
  for (const Kernel& kernel : graph.kernels) {
    VisitProfiles(graph, kernel,
                  [&](const std::string& key, const KernelProfile& profile) {
                    LearnProfile(profile, profiles_[key]);
                  });
  }
}

int ProfileCache::Fill(Graph& graph) const {
  int filled = 0;
  for (Kernel& kernel : graph.kernels) {
    VisitProfiles(graph, kernel,
                  [&](const std::string& key, KernelProfile& profile) {
                    const auto found = profiles_.find(key);
                    if (found == profiles_.end()) return;
                    filled += FillProfile(found->second, profile);
                  });
  }
  return filled;
}

}  // namespace stowage::policies
