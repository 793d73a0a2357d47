#include "agents/tiers/file_arena.h"

#include <atomic>
#include <cstdint>

#include "client_sdk/session/error_text.h"
#include "client_sdk/session/page_sums.h"

namespace stowage::agent {
namespace {

session::PageSums SumsIn(const std::optional<SharedMemory>& table) {
  if (!table) return session::PageSums();
  return session::PageSums(
      reinterpret_cast<std::atomic<uint64_t>*>(table->data()));
}

}  // namespace

absl::Status FileArena::KeepSums(OwnedFd left) {
  const int64_t bytes = session::PageSums::TableBytes(capacity_bytes_);
  absl::StatusOr<SharedMemory> table =
      left.valid() ? SharedMemory::Adopt(std::move(left))
                   : SharedMemory::Create("stowage-sums", bytes);
  if (!table.ok()) return table.status();
  if (table->size_bytes() < bytes) {
    return absl::InvalidArgumentError(
        "the table of checksums is smaller than that of its file");
  }
  sums_ = *std::move(table);
  return absl::OkStatus();
}

int FileArena::Read(int64_t offset_bytes, absl::Span<std::byte> to) {
  absl::MutexLock lock(&read_mutex_);
  const int error = read_io_->Read(fd_.get(), offset_bytes, to);
  if (error != 0) return error;
  const auto size_bytes = static_cast<int64_t>(to.size());
  return SumsIn(sums_).Match(offset_bytes, to.data(), size_bytes)
             ? 0
             : session::kBadSum;
}

int FileArena::Write(int64_t offset_bytes, absl::Span<const std::byte> from) {
  absl::MutexLock lock(&write_mutex_);
  SumsIn(sums_).Note(offset_bytes, from.data(),
                     static_cast<int64_t>(from.size()));
  return write_io_->Write(fd_.get(), offset_bytes, from);
}

}  // namespace stowage::agent
