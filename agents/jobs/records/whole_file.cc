#include "agents/jobs/records/whole_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "agents/tiers/owned_fd.h"

namespace stowage::agent {
namespace {

absl::Status Failed(const std::string& path) {
  return absl::ErrnoToStatus(
      errno, absl::StrCat("cannot write '", path,
                          "'; let the agent's user write there, or name "
                          "another directory"));
}

bool WriteAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(written);
  }
  return true;
}

}  // namespace

absl::Status WriteWholeFile(const std::string& path, absl::string_view bytes) {
  std::string temporary = path + ".XXXXXX";
  const OwnedFd fd(mkstemp(temporary.data()));
  if (!fd.valid()) return Failed(path);
  if (!WriteAll(fd.get(), bytes) || fchmod(fd.get(), 0644) != 0 ||
      rename(temporary.c_str(), path.c_str()) != 0) {
    absl::Status status = Failed(path);
    unlink(temporary.c_str());
    return status;
  }
  return absl::OkStatus();
}

}  // namespace stowage::agent
