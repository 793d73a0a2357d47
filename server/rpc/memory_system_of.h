// Returns the memory system that a request names or holds.
//
//   absl::StatusOr<policies::MemorySystem> system = MemorySystemOf(request);
#ifndef STOWAGE_SERVER_RPC_MEMORY_SYSTEM_OF_H_
#define STOWAGE_SERVER_RPC_MEMORY_SYSTEM_OF_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "policies/model/memory_system.h"
#include "policies/model/memory_system_proto.h"
#include "policies/model/presets.h"

namespace stowage {

// Returns it for a request with `system` and `system_name` in the oneof
// `memory_system`. INVALID_ARGUMENT: it has neither, the system is malformed, or
// no preset has the name.
template <typename Request>
absl::StatusOr<policies::MemorySystem> MemorySystemOf(const Request& request) {
  if (request.has_system()) {
    return policies::MemorySystemFromProto(request.system());
  }
  if (!request.has_system_name()) {
    return absl::InvalidArgumentError(
        "the request has no memory system; set system_name or system");
  }
  absl::StatusOr<policies::MemorySystem> preset =
      policies::PresetMemorySystem(request.system_name());
  if (preset.ok()) return preset;
  return absl::InvalidArgumentError(preset.status().message());
}

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_MEMORY_SYSTEM_OF_H_
