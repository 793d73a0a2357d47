#include "agents/claims/claim_files.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace stowage::agent {

absl::Status MakeDirectory(const std::string& path, mode_t mode) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(path, error);
  if (!error && (!is_new || chmod(path.c_str(), mode) == 0)) {
    return absl::OkStatus();
  }
  return absl::ErrnoToStatus(
      error ? error.value() : errno,
      absl::StrCat("cannot make the directory '", path,
                   "'; let the agent's user write there"));
}

absl::Status RemoveAll(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (!error) return absl::OkStatus();
  return absl::ErrnoToStatus(
      error.value(), absl::StrCat("cannot remove '", path,
                                  "'; let the agent's user write there"));
}

}  // namespace stowage::agent
