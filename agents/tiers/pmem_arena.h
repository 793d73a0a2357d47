// Keeps an arena in a file on persistent memory. Several threads read and write
// it at a time, because one does not reach the medium's bandwidth.
//
//   PmemArena arena(std::move(fd), capacity_bytes);
#ifndef STOWAGE_AGENTS_TIERS_PMEM_ARENA_H_
#define STOWAGE_AGENTS_TIERS_PMEM_ARENA_H_

#include <utility>

#include "agents/tiers/arena.h"
#include "agents/tiers/block_io.h"
#include "agents/tiers/owned_fd.h"

namespace stowage::agent {

// Owns the descriptor. Uses system calls and no mapping: if a job truncates the
// file, the job gets errors and the agent does not fault. Has no queue, because
// the thread that submits a request to such a file makes the copy itself.
class PmemArena : public Arena {
 public:
  PmemArena(OwnedFd fd, int64_t capacity_bytes)
      : fd_(std::move(fd)), capacity_bytes_(capacity_bytes) {}

  int fd() const override { return fd_.get(); }
  int64_t capacity_bytes() const override { return capacity_bytes_; }
  std::byte* mapped() const override { return nullptr; }
  bool gains_from_threads() const override { return true; }

  int Read(int64_t offset_bytes, absl::Span<std::byte> to) override {
    return MakeSyscallBlockIo()->Read(fd_.get(), offset_bytes, to);
  }
  int Write(int64_t offset_bytes, absl::Span<const std::byte> from) override {
    return MakeSyscallBlockIo()->Write(fd_.get(), offset_bytes, from);
  }

 private:
  const OwnedFd fd_;
  const int64_t capacity_bytes_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_PMEM_ARENA_H_
