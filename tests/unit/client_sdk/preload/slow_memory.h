// Makes memory that the kernel cannot reach, like that of an evicted tensor:
// touching a page of it faults, and a handler opens the page.
//
//   SlowMemory memory(1 << 20);
//   EXPECT_EQ(read(fd, memory.data(), memory.size()), memory.size());
//   EXPECT_EQ(memory.Bytes(), written);
#ifndef STOWAGE_TESTS_UNIT_CLIENT_SDK_PRELOAD_SLOW_MEMORY_H_
#define STOWAGE_TESTS_UNIT_CLIENT_SDK_PRELOAD_SLOW_MEMORY_H_

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

#include <atomic>
#include <cassert>
#include <random>
#include <string>

#include "client_sdk/preload/bounce.h"
#include "client_sdk/preload/slow_ranges.h"

namespace stowage::preload {

inline constexpr size_t kPageBytes = 4096;

// So many bytes that a call needs several pieces, the last of which is not
// whole.
inline constexpr size_t kManyPieces = 3 * Bounce::kBytes + 12345;

// Returns any bytes, the same for equal seeds.
inline std::string RandomBytes(size_t bytes, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

// Keeps all objects in one range, which lasts as long as the process.
class SlowMemory {
 public:
  explicit SlowMemory(size_t bytes)
      : size_bytes_(bytes), data_(Reserve(bytes)) {
    Close();
  }
  explicit SlowMemory(const std::string& bytes) : SlowMemory(bytes.size()) {
    mprotect(data_, size_bytes_, PROT_READ | PROT_WRITE);
    bytes.copy(data_, bytes.size());
    Close();
  }
  ~SlowMemory() { Close(); }
  SlowMemory(const SlowMemory&) = delete;
  SlowMemory& operator=(const SlowMemory&) = delete;

  char* data() const { return data_; }
  size_t size() const { return size_bytes_; }
  std::string Bytes() const { return {data_, size_bytes_}; }
  // Closes the memory, as if it had been evicted again.
  void Close() { mprotect(data_, size_bytes_, PROT_NONE); }

 private:
  static constexpr size_t kRangeBytes = size_t{1} << 30;

  static void OpenPage(int, siginfo_t* info, void*) {
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    mprotect(reinterpret_cast<void*>(address / kPageBytes * kPageBytes),
             kPageBytes, PROT_READ | PROT_WRITE);
  }

  static char* MakeRange() {
    struct sigaction action {};
    action.sa_sigaction = OpenPage;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    void* range = mmap(nullptr, kRangeBytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    stowage_add_slow_range(range, kRangeBytes);
    return static_cast<char*>(range);
  }

  static char* Reserve(size_t bytes) {
    static char* const range = MakeRange();
    static std::atomic<size_t> used_bytes{0};  // threads share the range
    bytes = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
    const size_t begin_bytes = used_bytes.fetch_add(bytes);
    assert(begin_bytes + bytes <= kRangeBytes);
    return range + begin_bytes;
  }

  size_t size_bytes_;
  char* data_;
};

}  // namespace stowage::preload

#endif  // STOWAGE_TESTS_UNIT_CLIENT_SDK_PRELOAD_SLOW_MEMORY_H_
