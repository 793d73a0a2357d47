#include "server/storage/database_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace stowage {
namespace {

constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;

absl::Status CannotMake(absl::string_view path, int error) {
  return absl::UnavailableError(absl::StrCat(
      "cannot make ", path, ": ", std::strerror(error),
      "; check the space and permissions of its directory, or name a file in "
      "another with --db"));
}

absl::Status MakePrivateFile(const std::string& path) {
  const OwnedFd made(
      open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly));
  if (!made.valid()) {
    return errno == EEXIST ? absl::OkStatus() : CannotMake(path, errno);
  }
  // The umask may have taken the owner's permissions.
  if (fchmod(made.get(), kOwnerOnly) != 0) return CannotMake(path, errno);
  return absl::OkStatus();
}

std::string WarningAbout(const std::string& path) {
  struct stat file = {};
  if (stat(path.c_str(), &file) != 0) return "";
  const mode_t others = file.st_mode & (S_IRWXG | S_IRWXO);
  if (others == 0) return "";
  return absl::StrCat("others than the owner may use the database ", path,
                      ", because its mode is ",
                      absl::StrFormat("%04o", file.st_mode & 07777),
                      "; run chmod 600 ", path, "*");
}

// Returns the process that the lock file names, or "another process".
std::string Holder(const OwnedFd& lock) {
  std::array<char, 32> text;
  const ssize_t size_bytes = pread(lock.get(), text.data(), text.size(), 0);
  const absl::string_view pid = absl::StripAsciiWhitespace(
      absl::string_view(text.data(), size_bytes > 0 ? size_bytes : 0));
  return pid.empty() ? "another process" : absl::StrCat("process ", pid);
}

absl::StatusOr<OwnedFd> Lock(const std::string& path) {
  // One lock serves every name of the database.
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  const std::string name = absl::StrCat(error ? path : real.string(), ".lock");
  OwnedFd lock(open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly));
  if (!lock.valid()) return CannotMake(name, errno);
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return CannotMake(name, errno);
    return absl::FailedPreconditionError(
        absl::StrCat("database ", path, " is in use by ", Holder(lock),
                     "; stop it, or name another file with --db"));
  }
  const std::string pid = absl::StrCat(getpid(), "\n");
  // If this cannot be written, only an error message lacks it.
  if (ftruncate(lock.get(), 0) == 0) {
    (void)!pwrite(lock.get(), pid.data(), pid.size(), 0);
  }
  return lock;
}

}  // namespace

absl::StatusOr<DatabaseFile> DatabaseFile::Claim(const std::string& path) {
  if (path == ":memory:") return DatabaseFile(OwnedFd(), "");
  if (absl::Status made = MakePrivateFile(path); !made.ok()) return made;
  absl::StatusOr<OwnedFd> lock = Lock(path);
  if (!lock.ok()) return lock.status();
  return DatabaseFile(*std::move(lock), WarningAbout(path));
}

}  // namespace stowage
