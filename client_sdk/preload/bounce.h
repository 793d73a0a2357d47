// Carries out a system call on memory that the kernel cannot reach, in pieces,
// through a buffer that it can.
//
//   const Parts parts{&iov, 1};
//   return ReadInPieces(parts, /*fill=*/true, [&](char* piece, size_t n,
//                                                 size_t done) {
//     return pread(fd, piece, n, offset + done);
//   });
//
// The copies between the buffer and the memory are instructions, whose faults
// the runtime serves. So the memory may be evicted, or become so at any moment.
//
// A call of many pieces keeps the semantics of one: what was transferred before
// an error is the result, and the error shows at the next call. A read from a
// pipe or a socket is one piece, since another could block; that makes it
// short, which it may be.
//
// Thread-safe, no locks, no allocation but mmap: safe where system calls are.
#ifndef STOWAGE_CLIENT_SDK_PRELOAD_BOUNCE_H_
#define STOWAGE_CLIENT_SDK_PRELOAD_BOUNCE_H_

#include <errno.h>
#include <sys/types.h>
#include <sys/uio.h>

namespace stowage::preload {

// The memory of a call, in order.
struct Parts {
  const iovec* first;
  int count;
};

// What the kernel would refuse is not looked at and touches nothing.
bool TouchesSlowRange(const Parts& parts);
size_t TotalBytes(const Parts& parts);

// Copies what follows the first `skip` bytes of the parts, `bytes` at most, and
// returns how much that was.
size_t Gather(const Parts& parts, size_t skip, char* to, size_t bytes);
size_t Scatter(const Parts& parts, size_t skip, const char* from, size_t bytes);

// A piece of memory that the kernel can reach, aligned to a page so that direct
// I/O takes it. One is kept for the next call; threads that need more at the
// same time map their own.
class Bounce {
 public:
  static constexpr size_t kBytes = 256 << 10;

  Bounce();
  ~Bounce();
  Bounce(const Bounce&) = delete;
  Bounce& operator=(const Bounce&) = delete;

  // Null, with errno set, if there is no memory.
  char* data() const { return data_; }

 private:
  char* data_;
};

// Calls `transfer(piece, bytes, bytes_done)`, which returns as read(2) does,
// once or, to `fill` the parts, until it returns less than it was asked for.
// Returns as read(2) does.
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

// The same, as write(2) does it: until less is taken than was offered.
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
