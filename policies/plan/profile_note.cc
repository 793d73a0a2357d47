#include "policies/plan/profile_note.h"

#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace stowage::policies {
namespace {

bool IsDerived(const ProfiledDuration& corner) {
  return corner.source == DurationSource::kUnspecified ||
         corner.source == DurationSource::kDerived;
}

struct Corner {
  const char* where;
  ProfiledDuration KernelProfile::*duration;
};

constexpr Corner kSlowCorners[] = {
    {"with slow outputs", &KernelProfile::fast_inputs_slow_outputs},
    {"with slow inputs", &KernelProfile::slow_inputs_fast_outputs},
    {"with both slow", &KernelProfile::slow_inputs_slow_outputs}};

bool HasDerivedCorner(const Kernel& kernel) {
  return absl::c_any_of(kSlowCorners, [&](const Corner& corner) {
    return IsDerived(kernel.profile.*corner.duration);
  });
}

// Says of how many kernels each corner is derived; empty if it is all of
// `derived` kernels for each of them.
std::string ByCorner(const Graph& graph, int64_t derived) {
  std::vector<std::string> parts;
  bool all = true;
  for (const Corner& corner : kSlowCorners) {
    const int64_t count = absl::c_count_if(graph.kernels, [&](const Kernel& k) {
      return IsDerived(k.profile.*corner.duration);
    });
    all = all && count == derived;
    if (count > 0) parts.push_back(absl::StrCat(corner.where, " ", count));
  }
  return all ? "" : absl::StrCat(": ", absl::StrJoin(parts, ", "));
}

}  // namespace

std::optional<std::string> DerivedProfileNote(const Graph& graph,
                                              const MemorySystem& system) {
  if (!HasAddressableSlowTier(system)) return std::nullopt;
  const int64_t derived = absl::c_count_if(graph.kernels, HasDerivedCorner);
  if (derived == 0) return std::nullopt;
  return absl::StrCat(
      "Times with operands in slower tiers are derived, not "
      "measured, for ",
      derived, " of ", graph.kernel_count(), " kernels",
      ByCorner(graph, derived), ".");
}

}  // namespace stowage::policies
