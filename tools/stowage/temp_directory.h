// A private directory that is removed with its content.
//
//   absl::StatusOr<TempDirectory> directory = TempDirectory::Make();
//   std::string socket = directory->path() + "/agent.sock";
//
// Not thread-safe.
#ifndef STOWAGE_TOOLS_STOWAGE_TEMP_DIRECTORY_H_
#define STOWAGE_TOOLS_STOWAGE_TEMP_DIRECTORY_H_

#include <string>

#include "absl/status/statusor.h"

namespace stowage::cli {

class TempDirectory {
 public:
  // Under $XDG_RUNTIME_DIR, or /tmp where that is not set or its path leaves
  // no room for a Unix socket's name (108 bytes). Mode 0700.
  static absl::StatusOr<TempDirectory> Make();

  TempDirectory(TempDirectory&& other) noexcept;
  TempDirectory& operator=(TempDirectory&&) = delete;
  ~TempDirectory();

  const std::string& path() const { return path_; }
  // Leaves the directory for people to look at.
  void Keep() { kept_ = true; }

 private:
  explicit TempDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty: moved from
  bool kept_ = false;
};

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_TEMP_DIRECTORY_H_
