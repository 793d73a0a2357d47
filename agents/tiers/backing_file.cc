#include "agents/tiers/backing_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage::agent {
namespace {

absl::Status DirectoryError(int error, const std::string& directory) {
  const absl::string_view remedy =
      error == ENOENT    ? "; make the directory or name another one"
      : error == ENOTDIR ? "; name a directory"
      : error == EACCES || error == EPERM || error == EROFS
          ? "; let the agent's user write there or name another directory"
      : error == ENOSPC ? "; free some space or name another directory"
                        : "";
  return absl::ErrnoToStatus(
      error, absl::StrCat("cannot make a file in '", directory, "'", remedy));
}

// File systems without O_TMPFILE: a named file whose name is removed at once.
int OpenAndUnlink(const std::string& directory, int flags) {
  std::string path = directory + "/.stowage-XXXXXX";
  const int fd = mkostemp(path.data(), flags | O_CLOEXEC);
  if (fd >= 0) unlink(path.c_str());
  return fd;
}

int OpenNameless(const std::string& directory, int flags) {
  const int fd = open(directory.c_str(),
                      O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL | flags, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return fd;
  return OpenAndUnlink(directory, flags);
}

}  // namespace

absl::StatusOr<OwnedFd> OpenBackingFile(const std::string& directory,
                                        int extra_flags) {
  int fd = OpenNameless(directory, extra_flags);
  if (fd < 0 && errno == EINVAL && extra_flags != 0) {
    fd = OpenNameless(directory, 0);
  }
  if (fd < 0) return DirectoryError(errno, directory);
  return OwnedFd(fd);
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
  return OpenBackingFile(directory, 0).status();
}

}  // namespace stowage::agent
