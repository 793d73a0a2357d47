#include "policies/planning/profile_note.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace stowage {
namespace {

bool IsDerived(const ProfiledDuration& corner) {
  return corner.source == DurationSource::kUnspecified ||
         corner.source == DurationSource::kDerived;
}

bool HasDerivedCorner(const Kernel& kernel) {
  return IsDerived(kernel.profile.fast_inputs_slow_outputs) ||
         IsDerived(kernel.profile.slow_inputs_fast_outputs) ||
         IsDerived(kernel.profile.slow_inputs_slow_outputs);
}

}  // namespace

std::optional<std::string> DerivedProfileNote(const Graph& graph,
                                              const MemorySystem& system) {
  if (!HasAddressableSlowTier(system)) return std::nullopt;
  const auto derived = std::count_if(graph.kernels.begin(), graph.kernels.end(),
                                     HasDerivedCorner);
  if (derived == 0) return std::nullopt;
  return absl::StrCat(
      "Times with operands in slower tiers are derived, not "
      "measured, for ",
      derived, " of ", graph.kernel_count(), " kernels.");
}

}  // namespace stowage
