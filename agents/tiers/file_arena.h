// Keeps an arena in a file, which the agent reads and writes through system
// calls and never through a mapping. So a job that truncates the file gets
// errors, and the agent does not fault.
//
//   FileArena arena(std::move(fd), capacity_bytes);
#ifndef STOWAGE_AGENTS_TIERS_FILE_ARENA_H_
#define STOWAGE_AGENTS_TIERS_FILE_ARENA_H_

#include <memory>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "agents/tiers/arena.h"
#include "agents/tiers/block_io.h"
#include "agents/tiers/owned_fd.h"
#include "agents/tiers/shared_memory.h"

namespace stowage::agent {

// Owns the descriptor. Reads and writes each have a queue, so that the two
// lanes of a job do not wait for one another.
class FileArena : public Arena {
 public:
  FileArena(OwnedFd fd, int64_t capacity_bytes)
      : fd_(std::move(fd)), capacity_bytes_(capacity_bytes) {}

  int fd() const override { return fd_.get(); }
  int64_t capacity_bytes() const override { return capacity_bytes_; }
  std::byte* mapped() const override { return nullptr; }
  // One thread keeps the disk's queue full.
  bool gains_from_threads() const override { return false; }

  absl::Status KeepSums(OwnedFd left) override;
  int sums_fd() const override { return sums_ ? sums_->fd() : -1; }

  int Read(int64_t offset_bytes, absl::Span<std::byte> to) override;
  int Write(int64_t offset_bytes, absl::Span<const std::byte> from) override;

 private:
  const OwnedFd fd_;
  const int64_t capacity_bytes_;
  std::optional<SharedMemory> sums_;  // set before the arena is used
  absl::Mutex read_mutex_;
  absl::Mutex write_mutex_;
  const std::unique_ptr<BlockIo> read_io_ ABSL_PT_GUARDED_BY(read_mutex_) =
      MakeBlockIo();
  const std::unique_ptr<BlockIo> write_io_ ABSL_PT_GUARDED_BY(write_mutex_) =
      MakeBlockIo();
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_FILE_ARENA_H_
