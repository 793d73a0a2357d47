#include "tools/stowage/process/temp_directory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage::cli {
namespace {

// Leaves room for the longest name in the directory within sun_path.
constexpr size_t kMaxBaseBytes = 60;
// A directory has a name with this prefix until its maker holds its lock.
constexpr absl::string_view kNewPrefix = "stowage-new-";
constexpr absl::string_view kPrefix = "stowage-run-";
constexpr absl::string_view kRandom = "XXXXXX";

std::string Base() {
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  const std::string base = runtime == nullptr ? "" : runtime;
  const bool usable = !base.empty() && base.size() <= kMaxBaseBytes &&
                      std::filesystem::is_directory(base);
  return usable ? base : "/tmp";
}

int Open(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Returns whether `directory`, which is open, is ours, still has this name, and
// has lost its maker. If so, holds its lock until it is closed.
bool LockLeftover(int directory, const std::string& path) {
  struct stat opened, named;
  return flock(directory, LOCK_EX | LOCK_NB) == 0 &&
         fstat(directory, &opened) == 0 && opened.st_uid == geteuid() &&
         lstat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino;
}

bool HasOurName(const std::string& name) {
  return absl::StartsWith(name, kPrefix) &&
         name.size() == kPrefix.size() + kRandom.size();
}

// Removes the directories of processes that were killed. These removed nothing,
// but hold no lock any more.
void RemoveLeftovers(const std::string& base) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(base, ignored)) {
    if (!HasOurName(entry.path().filename())) continue;
    const int directory = Open(entry.path());
    if (directory < 0) continue;
    if (LockLeftover(directory, entry.path())) {
      std::filesystem::remove_all(entry.path(), ignored);
    }
    close(directory);
  }
}

// Returns whether `path` is this user's and somebody holds its lock.
bool IsInUse(const std::string& path) {
  const int directory = Open(path);
  if (directory < 0) return false;
  struct stat status;
  const bool ours =
      fstat(directory, &status) == 0 && status.st_uid == geteuid();
  const bool locked = flock(directory, LOCK_SH | LOCK_NB) != 0;
  close(directory);
  return ours && locked;
}

absl::Status MakeError(const std::string& base) {
  return absl::ErrnoToStatus(
      errno, absl::StrCat("cannot make a private directory in ", base,
                          "; name one that is writable in XDG_RUNTIME_DIR"));
}

}  // namespace

absl::StatusOr<TempDirectory> TempDirectory::Make() {
  const std::string base = Base();
  RemoveLeftovers(base);
  std::string made = absl::StrCat(base, "/", kNewPrefix, kRandom);
  if (mkdtemp(made.data()) == nullptr) return MakeError(base);
  const int lock = Open(made);
  // Where locks do not work, nobody removes a directory that has none.
  flock(lock, LOCK_EX);
  const std::string path = absl::StrCat(
      base, "/", kPrefix, made.substr(made.size() - kRandom.size()));
  TempDirectory directory(made, lock);
  if (rename(made.c_str(), path.c_str()) != 0) return MakeError(base);
  directory.path_ = path;
  return directory;
}

std::vector<std::string> TempDirectory::InUse() {
  std::vector<std::string> paths;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(Base(), ignored)) {
    if (HasOurName(entry.path().filename()) && IsInUse(entry.path())) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TempDirectory::TempDirectory(TempDirectory&& other) noexcept
    : path_(std::exchange(other.path_, "")), lock_(other.lock_) {}

TempDirectory::~TempDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  close(lock_);
}

}  // namespace stowage::cli
