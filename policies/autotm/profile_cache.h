// AutoTM's software cache of kernel profiles (section 3): networks hold many
// identical kernels, and each has to be profiled once.
//
//   ProfileCache cache;
//   cache.Learn(profiled_graph);
//   const int corners = cache.Fill(next_graph);   // what need not be measured
//
// Kernels are identical when they run on the same processor, have the same name
// and use operands of the same sizes in the same way, in the same order. Each
// named alternative implementation of theirs has a profile of its own.
#ifndef STOWAGE_POLICIES_AUTOTM_PROFILE_CACHE_H_
#define STOWAGE_POLICIES_AUTOTM_PROFILE_CACHE_H_

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "policies/model/graph.h"

namespace stowage::policies {

// Not thread-safe. Holds copies only.
class ProfileCache {
 public:
  // Keeps every corner that was measured, the first of equal kernels. Derived
  // and rehosted corners are not worth keeping.
  void Learn(const Graph& graph);

  // Sets corners of `graph` that have no source. Returns how many.
  int Fill(Graph& graph) const;

  // Different kernels known.
  size_t size() const { return profiles_.size(); }

 private:
  absl::flat_hash_map<std::string, KernelProfile> profiles_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AUTOTM_PROFILE_CACHE_H_
