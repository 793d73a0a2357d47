// Makes memory that the agent shares with a job: a memfd of fixed size, mapped
// here and, through its descriptor, in the job.
//
//   absl::StatusOr<SharedMemory> memory =
//       SharedMemory::Create("fast", 1 << 30);
//   std::memset(memory->data(), 0, memory->size_bytes());
#ifndef STOWAGE_AGENTS_TIERS_SHARED_MEMORY_H_
#define STOWAGE_AGENTS_TIERS_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "agents/tiers/owned_fd.h"

namespace stowage::agent {

// Owns descriptor and mapping; movable. An untrusted process can write the
// mapped memory at any time.
class SharedMemory {
 public:
  // Makes a memfd of `size_bytes` > 0, rounded up to pages. It touches no page,
  // so the process that touches one first pays for it. Seals the memfd against
  // shrinking (an access by the agent can never fault), growing and unsealing.
  static absl::StatusOr<SharedMemory> Create(const std::string& name,
                                             int64_t size_bytes);

  // Maps a memfd that another agent made in this way. INVALID_ARGUMENT if it is
  // not sealed as Create() does it: then an access could fault.
  static absl::StatusOr<SharedMemory> Adopt(OwnedFd fd);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  int fd() const { return fd_.get(); }
  std::byte* data() const { return data_; }
  int64_t size_bytes() const { return size_bytes_; }

 private:
  SharedMemory(OwnedFd fd, std::byte* data, int64_t size_bytes);
  static absl::StatusOr<SharedMemory> Map(OwnedFd fd, int64_t size_bytes);

  OwnedFd fd_;
  std::byte* data_ = nullptr;
  int64_t size_bytes_ = 0;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_SHARED_MEMORY_H_
