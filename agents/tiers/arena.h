// Gives one job its room in one tier.
//
//   absl::StatusOr<std::unique_ptr<Arena>> arena =
//       provider->CreateArena(1 << 30);
//   int error = CopyBetween(*fast, 0, **arena, 4096, 1 << 20);
//   if (error != 0) std::cerr << std::strerror(error);
#ifndef STOWAGE_AGENTS_TIERS_ARENA_H_
#define STOWAGE_AGENTS_TIERS_ARENA_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "agents/tiers/owned_fd.h"

namespace stowage::agent {

// Errors are errno values, and 0 is success: the job gets them unchanged.
// Thread-safe: one thread may read while another writes other bytes.
class Arena {
 public:
  virtual ~Arena() = default;

  // Returns the descriptor, which the arena owns; the job gets a copy of it.
  virtual int fd() const = 0;
  virtual int64_t capacity_bytes() const = 0;
  // Returns the agent's own mapping; null if the agent reaches the tier with
  // Read and Write alone.
  virtual std::byte* mapped() const = 0;
  // Returns whether several threads that read, or that write, are faster than
  // one.
  virtual bool gains_from_threads() const = 0;

  // Keeps checksums of what is written from now on, and checks what is read;
  // does nothing in memory, which programs write themselves. `left` is the
  // table that another agent kept for this arena, if it is valid. Errors are
  // those of SharedMemory.
  virtual absl::Status KeepSums(OwnedFd /*left*/) { return absl::OkStatus(); }
  // Returns the descriptor of the table; -1: there is none.
  virtual int sums_fd() const { return -1; }

  // Both copy between the arena and page-aligned mapped memory and block until
  // the bytes are there. `offset_bytes` and sizes are whole pages inside the
  // arena, which CopyBetween has checked.
  [[nodiscard]] virtual int Read(int64_t offset_bytes,
                                 absl::Span<std::byte> to) = 0;
  [[nodiscard]] virtual int Write(int64_t offset_bytes,
                                  absl::Span<const std::byte> from) = 0;
};

// Returns whether offsets and size are whole pages inside the arenas, one of the
// two is mapped, and the ranges do not overlap if both are the same arena.
bool CanCopy(const Arena& from, int64_t from_offset_bytes, const Arena& to,
             int64_t to_offset_bytes, int64_t size_bytes);

// Copies `size_bytes` from one arena to another, which may be the same one.
// Returns EINVAL if CanCopy() says that this makes no sense. After an error the
// source is whole. Blocks. If `threads` > 1 the calling thread starts the
// others, or does their part where the host refuses threads.
[[nodiscard]] int CopyBetween(Arena& from, int64_t from_offset_bytes, Arena& to,
                              int64_t to_offset_bytes, int64_t size_bytes,
                              int threads = 1);

// Returns how many of `most` threads are worth starting for a copy: as many as
// have work for longer than they take to start. `medium_ns` is the least that
// one thread needs for the copy, 0 if unknown. Returns 1 where an arena gains
// nothing from threads.
int UsefulThreads(const Arena& from, const Arena& to, int64_t size_bytes,
                  int64_t medium_ns, int most);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_ARENA_H_
