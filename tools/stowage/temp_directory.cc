#include "tools/stowage/temp_directory.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace stowage::cli {
namespace {

// Leaves room for the longest name in the directory within sun_path.
constexpr size_t kMaxBaseBytes = 60;

}  // namespace

absl::StatusOr<TempDirectory> TempDirectory::Make() {
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  std::string base = runtime == nullptr ? "" : runtime;
  if (base.empty() || base.size() > kMaxBaseBytes ||
      !std::filesystem::is_directory(base)) {
    base = "/tmp";
  }
  std::string path = absl::StrCat(base, "/stowage-XXXXXX");
  if (mkdtemp(path.data()) == nullptr) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot make a private directory in ", base));
  }
  return TempDirectory(std::move(path));
}

TempDirectory::TempDirectory(TempDirectory&& other) noexcept
    : path_(std::exchange(other.path_, "")), kept_(other.kept_) {}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  if (!path_.empty() && !kept_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace stowage::cli
