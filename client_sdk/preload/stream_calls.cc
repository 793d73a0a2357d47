// Lets fread(3) and fwrite(3) work on memory that is evicted. The C library
// reads large items straight into the memory, by system calls of its own.
#include <stdint.h>
#include <stdio.h>

#include "client_sdk/preload/bounce.h"
#include "client_sdk/preload/real.h"
#include "client_sdk/preload/slow_ranges.h"

#define STOWAGE_EXPORT __attribute__((visibility("default")))

namespace stowage::preload {
namespace {

using ReadItems = size_t(void*, size_t, size_t, FILE*);
using WriteItems = size_t(const void*, size_t, size_t, FILE*);

Real<"fread", ReadItems> g_fread;
Real<"fwrite", WriteItems> g_fwrite;
Real<"fread_unlocked", ReadItems> g_fread_unlocked;
Real<"fwrite_unlocked", WriteItems> g_fwrite_unlocked;

// Returns whether some of the items are in a slow range. Returns false for more
// bytes than there can be.
bool MustBounce(const void* items, size_t size, size_t count) {
  if (size == 0 || count > SIZE_MAX / size) return false;
  return TouchesSlowRange(items, size * count);
}

class Locked {
 public:
  explicit Locked(FILE* stream) : stream_(stream) { flockfile(stream); }
  ~Locked() { funlockfile(stream_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  FILE* stream_;
};

// Returns how many whole items a call has transferred.
size_t ItemsIn(ssize_t bytes, size_t size) {
  return bytes > 0 ? bytes / size : 0;
}

size_t Read(void* items, size_t size, size_t count, FILE* stream) {
  const iovec part{items, size * count};
  const ssize_t got = ReadInPieces(
      {&part, 1}, /*fill=*/true, [stream](char* piece, size_t bytes, size_t) {
        return static_cast<ssize_t>(g_fread_unlocked(piece, 1, bytes, stream));
      });
  return ItemsIn(got, size);
}

size_t Write(const void* items, size_t size, size_t count, FILE* stream) {
  const iovec part{const_cast<void*>(items), size * count};
  const ssize_t taken = WriteInPieces(
      {&part, 1}, [stream](const char* piece, size_t bytes, size_t) {
        return static_cast<ssize_t>(g_fwrite_unlocked(piece, 1, bytes, stream));
      });
  return ItemsIn(taken, size);
}

}  // namespace
}  // namespace stowage::preload

using namespace stowage::preload;  // NOLINT: the functions are C's

extern "C" {

STOWAGE_EXPORT size_t fread(void* items, size_t size, size_t count,
                            FILE* stream) {
  if (!MustBounce(items, size, count)) {
    return g_fread(items, size, count, stream);
  }
  const Locked lock(stream);
  return Read(items, size, count, stream);
}

STOWAGE_EXPORT size_t fread_unlocked(void* items, size_t size, size_t count,
                                     FILE* stream) {
  if (!MustBounce(items, size, count)) {
    return g_fread_unlocked(items, size, count, stream);
  }
  return Read(items, size, count, stream);
}

STOWAGE_EXPORT size_t fwrite(const void* items, size_t size, size_t count,
                             FILE* stream) {
  if (!MustBounce(items, size, count)) {
    return g_fwrite(items, size, count, stream);
  }
  const Locked lock(stream);
  return Write(items, size, count, stream);
}

STOWAGE_EXPORT size_t fwrite_unlocked(const void* items, size_t size,
                                      size_t count, FILE* stream) {
  if (!MustBounce(items, size, count)) {
    return g_fwrite_unlocked(items, size, count, stream);
  }
  return Write(items, size, count, stream);
}

// _FORTIFY_SOURCE calls this where it knows how large the buffer is.
[[noreturn]] void __chk_fail();

STOWAGE_EXPORT size_t __fread_chk(void* items, size_t buffer_bytes, size_t size,
                                  size_t count, FILE* stream) {
  if (size != 0 && count > buffer_bytes / size) __chk_fail();
  return fread(items, size, count, stream);
}

STOWAGE_EXPORT size_t __fread_unlocked_chk(void* items, size_t buffer_bytes,
                                           size_t size, size_t count,
                                           FILE* stream) {
  if (size != 0 && count > buffer_bytes / size) __chk_fail();
  return fread_unlocked(items, size, count, stream);
}

}  // extern "C"
