#include "tools/stowage/inputs/input_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/model/codec.h"
#include "tools/stowage/inputs/tar_archive.h"

namespace stowage::cli {
namespace {

constexpr int64_t kMaxFileBytes = int64_t{1} << 30;

// Returns NOT_FOUND, whatever the reason: there is no input.
absl::Status Unreadable(const std::string& path, int error) {
  return absl::NotFoundError(
      absl::StrCat("cannot read '", path, "': ", strerror(error)));
}

absl::Status CheckSize(const std::string& path, const struct stat& info) {
  if (S_ISDIR(info.st_mode)) return Unreadable(path, EISDIR);
  if (info.st_size <= kMaxFileBytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("'", path, "' has ", info.st_size, " bytes; at most ",
                   kMaxFileBytes, " are read, capture fewer steps"));
}

absl::StatusOr<std::string> ReadDescriptor(int fd, const std::string& path) {
  struct stat info;
  if (fstat(fd, &info) != 0) return Unreadable(path, errno);
  absl::Status size = CheckSize(path, info);
  if (!size.ok()) return size;
  std::string bytes;
  char chunk[1 << 16];
  ssize_t got;
  while ((got = read(fd, chunk, sizeof(chunk))) > 0) {
    bytes.append(chunk, got);
    info.st_size = bytes.size();
    size = CheckSize(path, info);  // pipes have no size beforehand
    if (!size.ok()) return size;
  }
  if (got < 0) return Unreadable(path, errno);
  return bytes;
}

bool IsGzip(const std::string& bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Unreadable(path, errno);
  absl::StatusOr<std::string> bytes = ReadDescriptor(fd, path);
  close(fd);
  return bytes;
}

absl::StatusOr<std::string> ReadInput(const std::string& path,
                                      const std::string& member) {
  absl::StatusOr<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return bytes;
  if (IsGzip(*bytes)) bytes = policies::Gunzip(*bytes);
  if (bytes.ok() && IsTar(*bytes)) bytes = ExtractMember(*bytes, member);
  if (bytes.ok()) return bytes;
  return absl::Status(bytes.status().code(),
                      absl::StrCat(path, ": ", bytes.status().message()));
}

}  // namespace stowage::cli
