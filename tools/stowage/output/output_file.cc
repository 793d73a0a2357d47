#include "tools/stowage/output/output_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace stowage::cli {
namespace {

constexpr char kOutputErrorType[] = "stowage.dev/output-error";

// Returns the mode that open() gives a new file, and mkstemp() does not.
mode_t NewFileMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

absl::Status CannotWrite(const std::string& path, int error) {
  return OutputError(absl::PermissionDeniedError(absl::StrCat(
      "cannot write '", path, "': ", strerror(error),
      "; choose a path in a directory that exists and is writable")));
}

bool WriteAll(int fd, absl::string_view content) {
  while (!content.empty()) {
    const ssize_t sent = write(fd, content.data(), content.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    content.remove_prefix(sent);
  }
  return true;
}

}  // namespace

absl::Status OutputError(absl::Status error) {
  error.SetPayload(kOutputErrorType, absl::Cord());
  return error;
}

bool IsOutputError(const absl::Status& status) {
  return status.GetPayload(kOutputErrorType).has_value();
}

absl::Status CheckWritable(const std::string& path) {
  if (std::filesystem::is_directory(path)) return CannotWrite(path, EISDIR);
  std::string temporary = absl::StrCat(path, ".XXXXXX");
  const int fd = mkstemp(temporary.data());
  if (fd < 0) return CannotWrite(path, errno);
  close(fd);
  unlink(temporary.c_str());
  return absl::OkStatus();
}

absl::Status CheckAllWritable(absl::Span<const std::string> paths) {
  absl::Status status;
  for (const std::string& path : paths) {
    if (!path.empty() && path != "-") status.Update(CheckWritable(path));
  }
  return status;
}

absl::Status MakeEmptyFile(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) return CannotWrite(path, EISDIR);
  if (fs::is_other(status)) return absl::OkStatus();
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return CannotWrite(path, errno);
  close(fd);
  return absl::OkStatus();
}

absl::Status WriteFileAtomically(const std::string& path,
                                 absl::string_view content) {
  std::string temporary = absl::StrCat(path, ".XXXXXX");
  const int fd = mkstemp(temporary.data());
  if (fd < 0) return CannotWrite(path, errno);
  const bool written = WriteAll(fd, content) && fchmod(fd, NewFileMode()) == 0;
  const int write_error = errno;
  const bool closed = close(fd) == 0;
  if (written && closed && rename(temporary.c_str(), path.c_str()) == 0) {
    return absl::OkStatus();
  }
  const int error = written ? errno : write_error;
  unlink(temporary.c_str());
  return CannotWrite(path, error);
}

absl::Status WriteOutput(const std::string& path, absl::string_view content) {
  if (!path.empty() && path != "-") return WriteFileAtomically(path, content);
  std::cout << content << std::flush;
  if (std::cout) return absl::OkStatus();
  return absl::UnknownError("cannot write to stdout");
}

}  // namespace stowage::cli
