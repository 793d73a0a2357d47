#include "client_sdk/runtime/moves/userfault.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "client_sdk/runtime/process/mapping_time.h"
#include "client_sdk/session/session.h"

namespace stowage::runtime {
namespace {

// As in linux/userfaultfd.h since 6.8, which is newer than many headers.
constexpr uint64_t kFeatureMove = 1 << 16;
struct MoveRequest {
  uint64_t to;
  uint64_t from;
  uint64_t bytes;
  uint64_t mode;
  int64_t moved;
};
constexpr uint64_t kMove = _IOWR(UFFDIO, 0x05, MoveRequest);
constexpr uint64_t kMoveDontWake = 1;

uint64_t AsNumber(const char* address) {
  return reinterpret_cast<uint64_t>(address);
}

// Opens a descriptor, without UFFD_USER_MODE_ONLY, which would leave out system
// calls.
int OpenDescriptor() {
  const int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
  if (fd >= 0) return fd;
  const int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
  if (device < 0) return -1;
  const int made = ioctl(device, USERFAULTFD_IOC_NEW, O_CLOEXEC);
  close(device);
  return made;
}

// Calls `action` with the whole range, or page by page if the range belongs to
// more than one mapping. Returns 0 or an errno.
template <typename Action>
int WholeOrByPage(int64_t bytes, Action action) {
  int error = action(0, bytes);
  if (error != ENOENT || bytes <= session::kPageBytes) return error;
  error = 0;
  for (int64_t at = 0; error == 0 && at < bytes; at += session::kPageBytes) {
    error = action(at, session::kPageBytes);
  }
  return error;
}

}  // namespace

std::unique_ptr<Userfault> Userfault::Open() {
  const int fd = OpenDescriptor();
  if (fd < 0) return nullptr;
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | kFeatureMove;
  if (ioctl(fd, UFFDIO_API, &api) != 0) {
    close(fd);
    return nullptr;
  }
  return std::unique_ptr<Userfault>(new Userfault(fd));
}

Userfault::~Userfault() { close(fd_); }

void Userfault::KeepForThread(const int* others, int count) {
  std::vector<unsigned> kept(others, others + count);
  kept.push_back(fd_);
  std::sort(kept.begin(), kept.end());
  unsigned first = 0;
  for (const unsigned fd : kept) {
    if (fd > first) {
      syscall(SYS_close_range, first, fd - 1, CLOSE_RANGE_UNSHARE);
    }
    first = fd + 1;
  }
  syscall(SYS_close_range, first, ~0u, CLOSE_RANGE_UNSHARE);
}

int Userfault::Watch(char* begin, int64_t bytes) {
  const MappingTime time;
  uffdio_register watched{};
  watched.range = {AsNumber(begin), static_cast<uint64_t>(bytes)};
  watched.mode = UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP;
  // Opened last: memory that nobody watches would read as zeros.
  if (ioctl(fd_, UFFDIO_REGISTER, &watched) != 0 ||
      mprotect(begin, bytes, PROT_READ | PROT_WRITE) != 0) {
    const int error = errno;
    mprotect(begin, bytes, PROT_NONE);
    return error;
  }
  return 0;
}

bool Userfault::Next(Fault* fault) {
  for (;;) {
    uffd_msg message;
    const ssize_t got = read(fd_, &message, sizeof(message));
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got != sizeof(message)) return false;
    if (message.event != UFFD_EVENT_PAGEFAULT) continue;
    const uint64_t address = message.arg.pagefault.address;
    fault->page = reinterpret_cast<char*>(address / session::kPageBytes *
                                          session::kPageBytes);
    fault->write = (message.arg.pagefault.flags &
                    (UFFD_PAGEFAULT_FLAG_WRITE | UFFD_PAGEFAULT_FLAG_WP)) != 0;
    return true;
  }
}

int Userfault::Fill(char* begin, int64_t bytes, const char* from,
                    bool read_only) {
  const MappingTime time;
  return WholeOrByPage(bytes, [&](int64_t at, int64_t size) {
    while (size > 0) {
      uffdio_copy copy{};
      copy.dst = AsNumber(begin + at);
      copy.src = AsNumber(from + at);
      copy.len = size;
      copy.mode =
          UFFDIO_COPY_MODE_DONTWAKE | (read_only ? UFFDIO_COPY_MODE_WP : 0);
      if (ioctl(fd_, UFFDIO_COPY, &copy) == 0) return 0;
      // The mappings were changing, by a fork for one: it goes on from there.
      if (errno != EAGAIN) return errno;
      const int64_t copied = std::max<int64_t>(0, copy.copy);
      at += copied;
      size -= copied;
    }
    return 0;
  });
}

int Userfault::Protect(char* begin, int64_t bytes, bool read_only) {
  const MappingTime time;
  return WholeOrByPage(bytes, [&](int64_t at, int64_t size) {
    uffdio_writeprotect protect{};
    protect.range = {AsNumber(begin + at), static_cast<uint64_t>(size)};
    protect.mode = read_only ? UFFDIO_WRITEPROTECT_MODE_WP
                             : UFFDIO_WRITEPROTECT_MODE_DONTWAKE;
    for (;;) {
      if (ioctl(fd_, UFFDIO_WRITEPROTECT, &protect) == 0) return 0;
      if (errno != EAGAIN) return errno;
    }
  });
}

int Userfault::MoveAway(char* begin, int64_t bytes, char* to) {
  const MappingTime time;
  // Only what is accessible can be moved.
  if (mprotect(begin, bytes, PROT_READ | PROT_WRITE) != 0) return errno;
  const auto move_page = [this](char* from, char* to) {
    MoveRequest request{AsNumber(to), AsNumber(from), session::kPageBytes,
                        kMoveDontWake, 0};
    while (ioctl(fd_, kMove, &request) != 0) {
      if (errno != EAGAIN) return errno;
    }
    return 0;
  };
  for (int64_t at = 0; at < bytes; at += session::kPageBytes) {
    const int error = move_page(begin + at, to + at);
    if (error == 0) continue;
    while ((at -= session::kPageBytes) >= 0) move_page(to + at, begin + at);
    Wake(begin, bytes);
    return error;
  }
  return 0;
}

int Userfault::Drop(char* begin, int64_t bytes) {
  const MappingTime time;
  return madvise(begin, bytes, MADV_DONTNEED) == 0 ? 0 : errno;
}

void Userfault::Wake(char* begin, int64_t bytes) {
  uffdio_range range{AsNumber(begin), static_cast<uint64_t>(bytes)};
  ioctl(fd_, UFFDIO_WAKE, &range);
}

}  // namespace stowage::runtime
