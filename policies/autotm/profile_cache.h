// Caches kernel profiles, as AutoTM does in software (section 3): networks hold
// many identical kernels, and each has to be profiled once.
//
//   ProfileCache cache;
//   cache.Learn(profiled_graph);
//   const int corners = cache.Fill(next_graph);   // need not be measured
//
// Kernels are identical if they run on the same processor, have the same name
// and use operands of the same sizes in the same way and order. Each of their
// named alternative implementations has a profile of its own.
#ifndef STOWAGE_POLICIES_AUTOTM_PROFILE_CACHE_H_
#define STOWAGE_POLICIES_AUTOTM_PROFILE_CACHE_H_

#include <cstddef>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "policies/model/graph.h"

namespace stowage::policies {

// Not thread-safe. It holds copies only.
class ProfileCache {
 public:
  // Keeps every measured corner, that of the first among equal kernels. Derived
  // and rehosted corners are not worth keeping.
  void Learn(const Graph& graph);

  // Sets corners of `graph` that have no source. Returns how many it set.
  int Fill(Graph& graph) const;

  // Returns how many different kernels are known.
  size_t size() const { return profiles_.size(); }

 private:
  absl::flat_hash_map<std::string, KernelProfile> profiles_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AUTOTM_PROFILE_CACHE_H_
