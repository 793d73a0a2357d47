#include "agents/tiers/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

}  // namespace

SharedMemory::SharedMemory(OwnedFd fd, std::byte* data, int64_t size_bytes)
    : fd_(std::move(fd)), data_(data), size_bytes_(size_bytes) {}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, size_bytes_);
}

absl::StatusOr<SharedMemory> SharedMemory::Create(const std::string& name,
                                                  int64_t size_bytes) {
  const int64_t page = session::kPageBytes;
  size_bytes = (size_bytes + page - 1) / page * page;
  OwnedFd fd(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) {
    return absl::ErrnoToStatus(errno, "cannot make a memfd (see ulimit -n)");
  }
  if (ftruncate(fd.get(), size_bytes) != 0) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot size shared memory '", name, "' to ",
                            size_bytes, " bytes; ask for less"));
  }
  if (fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0) {
    return absl::ErrnoToStatus(errno, "cannot seal a memfd");
  }
  return Map(std::move(fd), size_bytes);
}

absl::StatusOr<SharedMemory> SharedMemory::Adopt(OwnedFd fd) {
  const int seals = fcntl(fd.get(), F_GET_SEALS);
  struct stat status;
  if (seals < 0 || (seals & kSeals) != kSeals ||
      fstat(fd.get(), &status) != 0 || status.st_size <= 0) {
    return absl::InvalidArgumentError(
        "a descriptor is not one of shared memory that an agent has made and "
        "sealed");
  }
  return Map(std::move(fd), status.st_size);
}

absl::StatusOr<SharedMemory> SharedMemory::Map(OwnedFd fd, int64_t size_bytes) {
  void* data = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_NORESERVE, fd.get(), 0);
  if (data == MAP_FAILED) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot map ", size_bytes,
                            " bytes of shared memory (see ulimit -v)"));
  }
  return SharedMemory(std::move(fd), static_cast<std::byte*>(data), size_bytes);
}

}  // namespace stowage::agent
