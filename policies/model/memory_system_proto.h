// Converts memory systems from and to protos. Protos are untrusted input.
//
//   absl::StatusOr<MemorySystem> system = MemorySystemFromProto(proto);
#ifndef STOWAGE_POLICIES_MODEL_MEMORY_SYSTEM_PROTO_H_
#define STOWAGE_POLICIES_MODEL_MEMORY_SYSTEM_PROTO_H_

#include "absl/status/statusor.h"
#include "policies/model/memory_system.h"
#include "stowage/v1/memory_system.pb.h"

namespace stowage::policies {

// Validates and converts `proto`. INVALID_ARGUMENT names the field, its value
// and the remedy.
absl::StatusOr<MemorySystem> MemorySystemFromProto(
    const v1::MemorySystem& proto);

v1::MemorySystem MemorySystemToProto(const MemorySystem& system);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_MEMORY_SYSTEM_PROTO_H_
