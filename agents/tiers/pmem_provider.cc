#include "agents/tiers/pmem_provider.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "agents/tiers/backing_file.h"
#include "agents/tiers/dax_path.h"
#include "agents/tiers/media.h"
#include "agents/tiers/pmem_arena.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {
namespace {

constexpr int64_t kMostDefaultPmemBytes = int64_t{16} << 30;

class PmemProvider : public TierProvider {
 public:
  explicit PmemProvider(const TierSpec& spec)
      : directory_(spec.argument),
        size_bytes_(spec.size_bytes),
        traits_{.name = IsDaxDirectory(spec.argument) ? "pmem" : "pmem-cached",
                .addressable = true,
                .read_latency_ns = FindMedium("optane")->read_latency_ns,
                .write_latency_ns = FindMedium("optane")->write_latency_ns,
                .price_usd_per_gb = FindMedium("optane")->price_usd_per_gb,
                .copy_read_threads = FindMedium("optane")->copy_read_threads,
                .copy_write_threads = FindMedium("optane")->copy_write_threads,
                .medium = DeviceName(spec.argument)} {}

  const TierTraits& traits() const override { return traits_; }

  absl::StatusOr<int64_t> DefaultBytes() const override {
    if (size_bytes_ > 0) return size_bytes_;
    const absl::StatusOr<int64_t> free_bytes = FreeBytes(directory_);
    if (!free_bytes.ok()) return free_bytes.status();
    return std::min(kMostDefaultPmemBytes, *free_bytes / 2);
  }

  absl::StatusOr<std::unique_ptr<Arena>> CreateArena(
      int64_t capacity_bytes) const override {
    const absl::StatusOr<int64_t> free_bytes = FreeBytes(directory_);
    if (!free_bytes.ok()) return free_bytes.status();
    if (capacity_bytes <= 0) {
      const absl::StatusOr<int64_t> default_bytes = DefaultBytes();
      if (!default_bytes.ok()) return default_bytes.status();
      capacity_bytes = *default_bytes;
    }
    capacity_bytes -= capacity_bytes % session::kPageBytes;
    if (capacity_bytes == 0) return DirectoryError(ENOSPC, directory_);
    if (capacity_bytes > *free_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("'", directory_, "' has ", *free_bytes,
                       " bytes free, the tier needs ", capacity_bytes,
                       "; ask for less with ,size="));
    }
    absl::StatusOr<OwnedFd> fd = OpenBackingFile(directory_, 0);
    if (!fd.ok()) return fd.status();
    if (const int error = posix_fallocate(fd->get(), 0, capacity_bytes);
        error != 0) {
      return absl::ErrnoToStatus(
          error, absl::StrCat("cannot reserve ", capacity_bytes, " bytes in '",
                              directory_, "'; ask for less with ,size="));
    }
    return std::make_unique<PmemArena>(*std::move(fd), capacity_bytes);
  }

  absl::StatusOr<std::unique_ptr<Arena>> AdoptArena(OwnedFd fd) const override {
    const absl::StatusOr<int64_t> bytes =
        BackingFileBytes(fd.get(), directory_);
    if (!bytes.ok()) return bytes.status();
    return std::make_unique<PmemArena>(std::move(fd), *bytes);
  }

 private:
  const std::string directory_;
  const int64_t size_bytes_;
  const TierTraits traits_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TierProvider>> MakePmemProvider(
    const TierSpec& spec) {
  if (absl::Status s = CheckDirectory(spec.argument); !s.ok()) return s;
  return std::make_unique<PmemProvider>(spec);
}

}  // namespace stowage::agent
