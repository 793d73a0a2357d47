// Says what a plan's reader should know about the profile that it was made
// from.
//
//   if (auto note = DerivedProfileNote(graph, system)) {
//     plan.notes.push_back(*note);
//   }
#ifndef STOWAGE_POLICIES_PLAN_PROFILE_NOTE_H_
#define STOWAGE_POLICIES_PLAN_PROFILE_NOTE_H_

#include <optional>
#include <string>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

// Returns a note of how many kernels have times with slow operands that were
// not measured but derived (CompleteProfile), and which times, if not all.
// Returns nullopt where no slower tier is addressable, since plans do not use
// such times there.
std::optional<std::string> DerivedProfileNote(const Graph& graph,
                                              const MemorySystem& system);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLAN_PROFILE_NOTE_H_
