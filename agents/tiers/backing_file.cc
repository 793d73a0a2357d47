#include "agents/tiers/backing_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage::agent {
namespace {

// Opens `path` and follows no symbolic link on the whole way. Follows links
// where Linux before 5.6 or a container lacks openat2().
int OpenWithoutLinks(const std::string& path, uint64_t flags, mode_t mode) {
  open_how how{};
  how.flags = flags;
  how.mode = mode;
  how.resolve = RESOLVE_NO_SYMLINKS;
  const int64_t fd =
      syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof(how));
  if (fd >= 0 || errno != ENOSYS) return static_cast<int>(fd);
  return open(path.c_str(), static_cast<int>(flags), mode);
}

// Makes a file and removes its name at once, for file systems without
// O_TMPFILE.
int OpenAndUnlink(const std::string& directory, int flags) {
  const OwnedFd opened(
      OpenWithoutLinks(directory, O_PATH | O_DIRECTORY | O_CLOEXEC, 0));
  if (!opened.valid()) return -1;
  std::string path =
      absl::StrCat("/proc/self/fd/", opened.get(), "/.stowage-XXXXXX");
  const int fd = mkostemp(path.data(), flags | O_CLOEXEC);
  if (fd >= 0) unlink(path.c_str());
  return fd;
}

int OpenNameless(const std::string& directory, int flags) {
  const int fd = OpenWithoutLinks(
      directory, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL | flags, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return fd;
  return OpenAndUnlink(directory, flags);
}

}  // namespace

absl::Status DirectoryError(int error, const std::string& directory) {
  const absl::string_view remedy =
      error == ENOENT    ? "; make the directory or name another one"
      : error == ENOTDIR ? "; name a directory"
      : error == ELOOP   ? "; name it without symbolic links"
      : error == EACCES || error == EPERM || error == EROFS
          ? "; let the agent's user write there or name another directory"
      : error == ENOSPC ? "; free some space or name another directory"
                        : "";
  return absl::ErrnoToStatus(
      error, absl::StrCat("cannot make a file in '", directory, "'", remedy));
}

absl::StatusOr<OwnedFd> OpenBackingFile(const std::string& directory,
                                        int extra_flags) {
  int fd = OpenNameless(directory, extra_flags);
  if (fd < 0 && errno == EINVAL && extra_flags != 0) {
    fd = OpenNameless(directory, 0);
  }
  if (fd < 0) return DirectoryError(errno, directory);
  return OwnedFd(fd);
}

absl::StatusOr<int64_t> BackingFileBytes(int fd, const std::string& directory) {
  struct stat file;
  struct stat above;
  if (stat(directory.c_str(), &above) != 0) {
    return DirectoryError(errno, directory);
  }
  if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size <= 0 ||
      file.st_dev != above.st_dev) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a descriptor is not one of a file on the disk of '", directory, "'"));
  }
  return file.st_size;
}

absl::StatusOr<int64_t> FreeBytes(const std::string& directory) {
  struct statvfs stats;
  if (statvfs(directory.c_str(), &stats) != 0) {
    return DirectoryError(errno, directory);
  }
  return static_cast<int64_t>(stats.f_bavail) *
         static_cast<int64_t>(stats.f_frsize);
}

std::string DeviceName(const std::string& directory) {
  struct stat status;
  if (stat(directory.c_str(), &status) != 0) return directory;
  return absl::StrCat("device ", major(status.st_dev), ":",
                      minor(status.st_dev));
}

absl::Status CheckDirectory(const std::string& directory) {
  std::error_code error;
  const std::string path = std::filesystem::canonical(directory, error);
  if (error) return DirectoryError(error.value(), directory);
  return OpenBackingFile(path, 0).status();
}

}  // namespace stowage::agent
