// Lets read(2), write(2) and their kin work on memory that is evicted.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "client_sdk/preload/bounce.h"
#include "client_sdk/preload/message.h"
#include "client_sdk/preload/python_watch.h"
#include "client_sdk/preload/real.h"
#include "client_sdk/preload/slow_ranges.h"

#define STOWAGE_EXPORT __attribute__((visibility("default")))

namespace stowage::preload {
namespace {

Real<"read", ssize_t(int, void*, size_t)> g_read;
Real<"write", ssize_t(int, const void*, size_t)> g_write;
Real<"pread", ssize_t(int, void*, size_t, off_t)> g_pread;
Real<"pwrite", ssize_t(int, const void*, size_t, off_t)> g_pwrite;
Real<"readv", ssize_t(int, const iovec*, int)> g_readv;
Real<"writev", ssize_t(int, const iovec*, int)> g_writev;
Real<"preadv", ssize_t(int, const iovec*, int, off_t)> g_preadv;
Real<"pwritev", ssize_t(int, const iovec*, int, off_t)> g_pwritev;
Real<"preadv2", ssize_t(int, const iovec*, int, off_t, int)> g_preadv2;
Real<"pwritev2", ssize_t(int, const iovec*, int, off_t, int)> g_pwritev2;

iovec PartOfWrite(const void* buffer, size_t bytes) {
  return {const_cast<void*>(buffer), bytes};
}

// Returns whether a second read, after a whole piece, would not block.
bool IsFile(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 &&
         (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode));
}

ssize_t Read(int fd, const Parts& parts) {
  return ReadInPieces(parts, IsFile(fd),
                      [fd](char* piece, size_t bytes, size_t) {
                        return g_read(fd, piece, bytes);
                      });
}

ssize_t Write(int fd, const Parts& parts) {
  if (IsTooLongMessage(fd, TotalBytes(parts))) return -1;
  return WriteInPieces(parts, [fd](const char* piece, size_t bytes, size_t) {
    return g_write(fd, piece, bytes);
  });
}

ssize_t ReadAt(int fd, const Parts& parts, off_t offset) {
  return ReadInPieces(parts, /*fill=*/true,
                      [=](char* piece, size_t bytes, size_t done) {
                        return g_pread(fd, piece, bytes, offset + done);
                      });
}

ssize_t WriteAt(int fd, const Parts& parts, off_t offset) {
  return WriteInPieces(parts,
                       [=](const char* piece, size_t bytes, size_t done) {
                         return g_pwrite(fd, piece, bytes, offset + done);
                       });
}

// Returns the offset after `done` bytes; -1 stands for the file's own position.
off_t Advance(off_t offset, size_t done) {
  return offset == -1 ? -1 : offset + done;
}

ssize_t ReadWithFlags(int fd, const Parts& parts, off_t offset, int flags) {
  return ReadInPieces(parts, offset != -1 || IsFile(fd),
                      [=](char* piece, size_t bytes, size_t done) {
                        const iovec part{piece, bytes};
                        return g_preadv2(fd, &part, 1, Advance(offset, done),
                                         flags);
                      });
}

ssize_t WriteWithFlags(int fd, const Parts& parts, off_t offset, int flags) {
  return WriteInPieces(
      parts, [=](const char* piece, size_t bytes, size_t done) {
        const iovec part = PartOfWrite(piece, bytes);
        return g_pwritev2(fd, &part, 1, Advance(offset, done), flags);
      });
}

}  // namespace
}  // namespace stowage::preload

using namespace stowage::preload;  // NOLINT: the functions are C's

extern "C" {

STOWAGE_EXPORT ssize_t read(int fd, void* buffer, size_t bytes) {
  WatchPython();
  if (!TouchesSlowRange(buffer, bytes)) return g_read(fd, buffer, bytes);
  const iovec part{buffer, bytes};
  return Read(fd, {&part, 1});
}

STOWAGE_EXPORT ssize_t write(int fd, const void* buffer, size_t bytes) {
  if (!TouchesSlowRange(buffer, bytes)) return g_write(fd, buffer, bytes);
  const iovec part = PartOfWrite(buffer, bytes);
  return Write(fd, {&part, 1});
}

STOWAGE_EXPORT ssize_t pread(int fd, void* buffer, size_t bytes, off_t offset) {
  if (!TouchesSlowRange(buffer, bytes)) {
    return g_pread(fd, buffer, bytes, offset);
  }
  const iovec part{buffer, bytes};
  return ReadAt(fd, {&part, 1}, offset);
}

STOWAGE_EXPORT ssize_t pwrite(int fd, const void* buffer, size_t bytes,
                              off_t offset) {
  if (!TouchesSlowRange(buffer, bytes)) {
    return g_pwrite(fd, buffer, bytes, offset);
  }
  const iovec part = PartOfWrite(buffer, bytes);
  return WriteAt(fd, {&part, 1}, offset);
}

STOWAGE_EXPORT ssize_t readv(int fd, const iovec* parts, int count) {
  if (!TouchesSlowRange({parts, count})) return g_readv(fd, parts, count);
  return Read(fd, {parts, count});
}

STOWAGE_EXPORT ssize_t writev(int fd, const iovec* parts, int count) {
  if (!TouchesSlowRange({parts, count})) return g_writev(fd, parts, count);
  return Write(fd, {parts, count});
}

STOWAGE_EXPORT ssize_t preadv(int fd, const iovec* parts, int count,
                              off_t offset) {
  if (!TouchesSlowRange({parts, count})) {
    return g_preadv(fd, parts, count, offset);
  }
  return ReadAt(fd, {parts, count}, offset);
}

STOWAGE_EXPORT ssize_t pwritev(int fd, const iovec* parts, int count,
                               off_t offset) {
  if (!TouchesSlowRange({parts, count})) {
    return g_pwritev(fd, parts, count, offset);
  }
  return WriteAt(fd, {parts, count}, offset);
}

STOWAGE_EXPORT ssize_t preadv2(int fd, const iovec* parts, int count,
                               off_t offset, int flags) {
  if (!TouchesSlowRange({parts, count})) {
    return g_preadv2(fd, parts, count, offset, flags);
  }
  return ReadWithFlags(fd, {parts, count}, offset, flags);
}

STOWAGE_EXPORT ssize_t pwritev2(int fd, const iovec* parts, int count,
                                off_t offset, int flags) {
  if (!TouchesSlowRange({parts, count})) {
    return g_pwritev2(fd, parts, count, offset, flags);
  }
  return WriteWithFlags(fd, {parts, count}, offset, flags);
}

// The same functions have other names where offsets have 64 bits.
static_assert(sizeof(off_t) == sizeof(off64_t));

STOWAGE_EXPORT ssize_t pread64(int fd, void* buffer, size_t bytes,
                               off64_t offset) {
  return pread(fd, buffer, bytes, offset);
}

STOWAGE_EXPORT ssize_t pwrite64(int fd, const void* buffer, size_t bytes,
                                off64_t offset) {
  return pwrite(fd, buffer, bytes, offset);
}

STOWAGE_EXPORT ssize_t preadv64(int fd, const iovec* parts, int count,
                                off64_t offset) {
  return preadv(fd, parts, count, offset);
}

STOWAGE_EXPORT ssize_t pwritev64(int fd, const iovec* parts, int count,
                                 off64_t offset) {
  return pwritev(fd, parts, count, offset);
}

STOWAGE_EXPORT ssize_t preadv64v2(int fd, const iovec* parts, int count,
                                  off64_t offset, int flags) {
  return preadv2(fd, parts, count, offset, flags);
}

STOWAGE_EXPORT ssize_t pwritev64v2(int fd, const iovec* parts, int count,
                                   off64_t offset, int flags) {
  return pwritev2(fd, parts, count, offset, flags);
}

// _FORTIFY_SOURCE calls these where it knows how large the buffer is.
[[noreturn]] void __chk_fail();

STOWAGE_EXPORT ssize_t __read_chk(int fd, void* buffer, size_t bytes,
                                  size_t buffer_bytes) {
  if (bytes > buffer_bytes) __chk_fail();
  return read(fd, buffer, bytes);
}

STOWAGE_EXPORT ssize_t __pread_chk(int fd, void* buffer, size_t bytes,
                                   off_t offset, size_t buffer_bytes) {
  if (bytes > buffer_bytes) __chk_fail();
  return pread(fd, buffer, bytes, offset);
}

STOWAGE_EXPORT ssize_t __pread64_chk(int fd, void* buffer, size_t bytes,
                                     off64_t offset, size_t buffer_bytes) {
  if (bytes > buffer_bytes) __chk_fail();
  return pread(fd, buffer, bytes, offset);
}

}  // extern "C"
