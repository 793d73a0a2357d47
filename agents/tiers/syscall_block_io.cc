#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "agents/tiers/block_io.h"

namespace stowage::agent {
namespace {

constexpr size_t kPieceBytes = 4 << 20;

// Calls `transfer(offset, done, size)`, which is pread or pwrite of a piece,
// until all is transferred. Returns 0 or an errno.
template <typename Transfer>
int TransferAll(int64_t offset_bytes, size_t size_bytes, Transfer transfer) {
  size_t done = 0;
  while (done < size_bytes) {
    const size_t piece = std::min(kPieceBytes, size_bytes - done);
    const ssize_t moved =
        transfer(static_cast<off_t>(offset_bytes + done), done, piece);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return errno;
    if (moved == 0) return EIO;
    done += moved;
  }
  return 0;
}

class SyscallBlockIo : public BlockIo {
 public:
  int Read(int fd, int64_t offset_bytes, absl::Span<std::byte> to) override {
    return TransferAll(offset_bytes, to.size(),
                       [&](off_t at, size_t done, size_t size) {
                         return pread(fd, to.data() + done, size, at);
                       });
  }
  int Write(int fd, int64_t offset_bytes,
            absl::Span<const std::byte> from) override {
    return TransferAll(offset_bytes, from.size(),
                       [&](off_t at, size_t done, size_t size) {
                         return pwrite(fd, from.data() + done, size, at);
                       });
  }
};

}  // namespace

std::unique_ptr<BlockIo> MakeSyscallBlockIo() {
  return std::make_unique<SyscallBlockIo>();
}

std::unique_ptr<BlockIo> MakeBlockIo() {
  std::unique_ptr<BlockIo> io = MakeUringBlockIo();
  return io != nullptr ? std::move(io) : MakeSyscallBlockIo();
}

}  // namespace stowage::agent
