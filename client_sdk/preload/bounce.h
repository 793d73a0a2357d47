// Carries out a system call on memory that the kernel cannot reach, in pieces,
// through a buffer that it can.
//
//   const Parts parts{&iov, 1};
//   return ReadInPieces(parts, /*fill=*/true, [&](char* piece, size_t n,
//                                                 size_t done) {
//     return pread(fd, piece, n, offset + done);
//   });
//
// Instructions copy between the buffer and the memory, and the runtime serves
// their faults. So the memory may be evicted, or become so at any moment.
//
// A call of many pieces keeps the semantics of one: it returns what it
// transferred before an error, and the next call returns the error. A read from
// a pipe or a socket is one piece, because a second one could block. Such a
// read may be short, as any read may.
//
// Thread-safe, without locks, and allocates by mmap alone. So it is safe
// wherever system calls are.
#ifndef STOWAGE_CLIENT_SDK_PRELOAD_BOUNCE_H_
#define STOWAGE_CLIENT_SDK_PRELOAD_BOUNCE_H_

#include <errno.h>
#include <sys/types.h>
#include <sys/uio.h>

namespace stowage::preload {

// The memory that a call reads or writes, in order.
struct Parts {
  const iovec* first;
  int count;
};

// Returns whether some byte of the parts is in a slow range; false for parts
// that the kernel would refuse, which are not read.
bool TouchesSlowRange(const Parts& parts);
size_t TotalBytes(const Parts& parts);

// Copy at most `bytes` of what follows the first `skip` bytes of the parts.
// Return how many bytes they copied.
size_t Gather(const Parts& parts, size_t skip, char* to, size_t bytes);
size_t Scatter(const Parts& parts, size_t skip, const char* from, size_t bytes);

// Owns a piece of memory that the kernel can reach. It is aligned to a page, so
// that direct I/O accepts it. One piece is kept for the next call; threads that
// need another at the same time map their own.
class Bounce {
 public:
  static constexpr size_t kBytes = 256 << 10;

  Bounce();
  ~Bounce();
  Bounce(const Bounce&) = delete;
  Bounce& operator=(const Bounce&) = delete;

  // Returns null if there was no memory; the constructor has set errno then.
  char* data() const { return data_; }

 private:
  char* data_;
};

// Calls `transfer(piece, bytes, bytes_done)`, which returns as read(2) does. If
// `fill`, calls it until the parts are full or it returns less than it was
// asked for, else once. Returns as read(2) does.
template <typename Transfer>
ssize_t ReadInPieces(const Parts& parts, bool fill, Transfer transfer) {
  const Bounce bounce;
  if (bounce.data() == nullptr) return -1;
  const size_t total_bytes = TotalBytes(parts);
  size_t done = 0;
  do {
    const size_t left = total_bytes - done;
    const size_t wanted = left < Bounce::kBytes ? left : Bounce::kBytes;
    const ssize_t got = transfer(bounce.data(), wanted, done);
    if (got < 0) return done > 0 ? done : -1;
    // Some calls return the size of a message that did not fit.
    const size_t here = static_cast<size_t>(got) < wanted ? got : wanted;
    Scatter(parts, done, bounce.data(), here);
    done += got;
    if (got != wanted) break;
  } while (fill && done < total_bytes);
  return done;
}

// Calls `transfer(piece, bytes, bytes_done)`, which returns as write(2) does,
// until it takes less than it is offered. Returns as write(2) does.
template <typename Transfer>
ssize_t WriteInPieces(const Parts& parts, Transfer transfer) {
  const Bounce bounce;
  if (bounce.data() == nullptr) return -1;
  const size_t total_bytes = TotalBytes(parts);
  size_t done = 0;
  do {
    const size_t offered = Gather(parts, done, bounce.data(), Bounce::kBytes);
    const ssize_t taken = transfer(bounce.data(), offered, done);
    if (taken < 0) return done > 0 ? done : -1;
    done += taken;
    if (taken != offered) break;
  } while (done < total_bytes);
  return done;
}

}  // namespace stowage::preload

#endif  // STOWAGE_CLIENT_SDK_PRELOAD_BOUNCE_H_
