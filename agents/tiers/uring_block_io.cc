#include <liburing.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "agents/tiers/block_io.h"

namespace stowage::agent {
namespace {

constexpr unsigned kQueueDepth = 16;
constexpr size_t kRequestBytes = 1 << 20;

// A part of one transfer that is in flight.
struct Piece {
  size_t begin = 0;
  size_t size = 0;
};

using Prepare = void (*)(io_uring_sqe*, int fd, std::byte*, unsigned size,
                         uint64_t offset);

void PrepareRead(io_uring_sqe* sqe, int fd, std::byte* data, unsigned size,
                 uint64_t offset) {
  io_uring_prep_read(sqe, fd, data, size, offset);
}

void PrepareWrite(io_uring_sqe* sqe, int fd, std::byte* data, unsigned size,
                  uint64_t offset) {
  io_uring_prep_write(sqe, fd, data, size, offset);
}

class UringBlockIo : public BlockIo {
 public:
  UringBlockIo() { error_ = -io_uring_queue_init(kQueueDepth, &ring_, 0); }
  ~UringBlockIo() override {
    if (error_ == 0) io_uring_queue_exit(&ring_);
  }
  UringBlockIo(const UringBlockIo&) = delete;
  UringBlockIo& operator=(const UringBlockIo&) = delete;

  bool works() const { return error_ == 0; }

  int Read(int fd, int64_t offset_bytes, absl::Span<std::byte> to) override {
    return Transfer(PrepareRead, fd, offset_bytes, to.data(), to.size());
  }
  int Write(int fd, int64_t offset_bytes,
            absl::Span<const std::byte> from) override {
    // Linux only reads the buffer of a write.
    return Transfer(PrepareWrite, fd, offset_bytes,
                    const_cast<std::byte*>(from.data()), from.size());
  }

 private:
  // Keeps the queue full until all is done. After an error it starts no more
  // pieces, but waits for those in flight, because Linux still uses the buffer.
  int Transfer(Prepare prepare, int fd, int64_t offset_bytes, std::byte* data,
               size_t size_bytes) {
    size_t started = 0;
    int in_flight = 0;
    int error = 0;
    free_.clear();
    for (Piece& piece : pieces_) free_.push_back(&piece);
    retry_.clear();
    while (true) {
      while (error == 0 && !free_.empty() &&
             (!retry_.empty() || started < size_bytes)) {
        Piece* piece = TakePiece(started, size_bytes);
        io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
        prepare(sqe, fd, data + piece->begin,
                static_cast<unsigned>(piece->size),
                static_cast<uint64_t>(offset_bytes) + piece->begin);
        io_uring_sqe_set_data(sqe, piece);
        ++in_flight;
      }
      if (in_flight == 0) return error;
      const int submitted = io_uring_submit_and_wait(&ring_, 1);
      if (submitted < 0 && submitted != -EINTR && error == 0) {
        error = -submitted;
      }
      Reap(in_flight, error);
    }
  }

  Piece* TakePiece(size_t& started, size_t size_bytes) {
    Piece* piece = free_.back();
    free_.pop_back();
    if (!retry_.empty()) {
      *piece = retry_.back();
      retry_.pop_back();
      return piece;
    }
    *piece = {started, std::min(kRequestBytes, size_bytes - started)};
    started += piece->size;
    return piece;
  }

  // Collects the pieces that have completed. Starts the rest of a short
  // transfer again.
  void Reap(int& in_flight, int& error) {
    io_uring_cqe* cqe = nullptr;
    while (io_uring_peek_cqe(&ring_, &cqe) == 0) {
      auto* piece = static_cast<Piece*>(io_uring_cqe_get_data(cqe));
      const int result = cqe->res;
      io_uring_cqe_seen(&ring_, cqe);
      --in_flight;
      free_.push_back(piece);
      if (result == -EINTR || result == -EAGAIN) {
        retry_.push_back(*piece);
      } else if (result <= 0) {
        if (error == 0) error = result == 0 ? EIO : -result;
      } else if (static_cast<size_t>(result) < piece->size) {
        retry_.push_back({piece->begin + result, piece->size - result});
      }
    }
  }

  io_uring ring_{};
  int error_ = 0;
  std::array<Piece, kQueueDepth> pieces_;
  std::vector<Piece*> free_;
  std::vector<Piece> retry_;
};

}  // namespace

std::unique_ptr<BlockIo> MakeUringBlockIo() {
  auto io = std::make_unique<UringBlockIo>();
  if (!io->works()) return nullptr;
  return io;
}

}  // namespace stowage::agent
