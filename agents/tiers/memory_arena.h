// Keeps an arena in shared memory.
//
//   absl::StatusOr<SharedMemory> memory =
//       SharedMemory::Create("dram", 1 << 30);
//   auto arena = std::make_unique<MemoryArena>(*std::move(memory));
#ifndef STOWAGE_AGENTS_TIERS_MEMORY_ARENA_H_
#define STOWAGE_AGENTS_TIERS_MEMORY_ARENA_H_

#include <utility>

#include "agents/tiers/arena.h"
#include "agents/tiers/shared_memory.h"
#include "client_sdk/session/copy_past_caches.h"

namespace stowage::agent {

class MemoryArena : public Arena {
 public:
  explicit MemoryArena(SharedMemory memory) : memory_(std::move(memory)) {}

  int fd() const override { return memory_.fd(); }
  int64_t capacity_bytes() const override { return memory_.size_bytes(); }
  std::byte* mapped() const override { return memory_.data(); }
  bool gains_from_threads() const override { return true; }

  int Read(int64_t offset_bytes, absl::Span<std::byte> to) override {
    session::CopyPastCaches(to.data(), mapped() + offset_bytes, to.size());
    return 0;
  }
  int Write(int64_t offset_bytes, absl::Span<const std::byte> from) override {
    session::CopyPastCaches(mapped() + offset_bytes, from.data(), from.size());
    return 0;
  }

 private:
  SharedMemory memory_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_MEMORY_ARENA_H_
