// Reads and writes files in large pieces, several at a time.
//
//   std::unique_ptr<BlockIo> io = MakeBlockIo();
//   int error = io->Write(fd, 0, data);   // 0 or an errno
#ifndef STOWAGE_AGENTS_TIERS_BLOCK_IO_H_
#define STOWAGE_AGENTS_TIERS_BLOCK_IO_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/types/span.h"

namespace stowage::agent {

// Not thread-safe: use one per thread, or under a lock. Calls block.
class BlockIo {
 public:
  virtual ~BlockIo() = default;

  // Both return 0 once all bytes are transferred, else an errno: EIO if the
  // file ends before. Buffer, offset and size must suit direct I/O.
  [[nodiscard]] virtual int Read(int fd, int64_t offset_bytes,
                                 absl::Span<std::byte> to) = 0;
  [[nodiscard]] virtual int Write(int fd, int64_t offset_bytes,
                                  absl::Span<const std::byte> from) = 0;
};

// Returns an implementation that keeps 16 pieces of 1 MiB in flight by
// io_uring; null if the host refuses io_uring, as containers often do.
std::unique_ptr<BlockIo> MakeUringBlockIo();

// Returns an implementation that makes one blocking system call after another.
std::unique_ptr<BlockIo> MakeSyscallBlockIo();

// Returns the first of these that works here.
std::unique_ptr<BlockIo> MakeBlockIo();

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_BLOCK_IO_H_
