#include "agents/tiers/file_provider.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "agents/tiers/backing_file.h"
#include "agents/tiers/file_arena.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {
namespace {

constexpr int64_t kMostDefaultBytes = int64_t{1} << 40;

class FileProvider : public TierProvider {
 public:
  explicit FileProvider(const TierSpec& spec)
      : directory_(spec.argument),
        size_bytes_(spec.size_bytes),
        traits_{.name = "file",
                .file = true,
                .read_latency_ns = 100'000,
                .write_latency_ns = 30'000,
                .copy_read_threads = 2,
                .copy_write_threads = 2,
                .medium = DeviceName(spec.argument)} {}

  const TierTraits& traits() const override { return traits_; }

  absl::StatusOr<int64_t> DefaultBytes() const override {
    if (size_bytes_ > 0) return size_bytes_;
    const absl::StatusOr<int64_t> free_bytes = FreeBytes(directory_);
    if (!free_bytes.ok()) return free_bytes.status();
    return std::min(kMostDefaultBytes, *free_bytes / 10 * 9);
  }

  absl::StatusOr<std::unique_ptr<Arena>> CreateArena(
      int64_t capacity_bytes) const override {
    if (capacity_bytes <= 0) {
      const absl::StatusOr<int64_t> default_bytes = DefaultBytes();
      if (!default_bytes.ok()) return default_bytes.status();
      capacity_bytes = *default_bytes;
    }
    capacity_bytes -= capacity_bytes % session::kPageBytes;
    if (capacity_bytes == 0) return DirectoryError(ENOSPC, directory_);
    absl::StatusOr<OwnedFd> fd = OpenBackingFile(directory_, O_DIRECT);
    if (!fd.ok()) return fd.status();
    if (ftruncate(fd->get(), capacity_bytes) != 0) {
      return absl::ErrnoToStatus(
          errno,
          absl::StrCat("cannot size a file in '", directory_, "' to ",
                       capacity_bytes, " bytes; ask for less with ,size="));
    }
    return std::make_unique<FileArena>(*std::move(fd), capacity_bytes);
  }

  absl::StatusOr<std::unique_ptr<Arena>> AdoptArena(OwnedFd fd) const override {
    const absl::StatusOr<int64_t> bytes =
        BackingFileBytes(fd.get(), directory_);
    if (!bytes.ok()) return bytes.status();
    return std::make_unique<FileArena>(std::move(fd), *bytes);
  }

 private:
  const std::string directory_;
  const int64_t size_bytes_;
  const TierTraits traits_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TierProvider>> MakeFileProvider(
    const TierSpec& spec) {
  if (absl::Status s = CheckDirectory(spec.argument); !s.ok()) return s;
  return std::make_unique<FileProvider>(spec);
}

}  // namespace stowage::agent
