// Reads the file of a memory system, as `stowage calibrate` writes it.
//
//   absl::StatusOr<v1::MemorySystem> system = ReadSystemFile("host.json");
#ifndef STOWAGE_AGENTS_ENGINE_SYSTEM_FILE_H_
#define STOWAGE_AGENTS_ENGINE_SYSTEM_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "stowage/v1/memory_system.pb.h"

namespace stowage::agent {

// Returns the system, which is proto JSON in the file. INVALID_ARGUMENT says
// what is wrong with it, NOT_FOUND that it cannot be read. The service checks
// the figures with each plan.
absl::StatusOr<v1::MemorySystem> ReadSystemFile(const std::string& path);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_SYSTEM_FILE_H_
