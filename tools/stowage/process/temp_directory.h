// Owns a private directory and removes it with its content. If the process is
// killed, the next one that makes such a directory removes it.
//
//   absl::StatusOr<TempDirectory> directory = TempDirectory::Make();
//   std::string socket = directory->path() + "/agent.sock";
//
// Not thread-safe.
#ifndef STOWAGE_TOOLS_STOWAGE_PROCESS_TEMP_DIRECTORY_H_
#define STOWAGE_TOOLS_STOWAGE_PROCESS_TEMP_DIRECTORY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace stowage::cli {

class TempDirectory {
 public:
  // Makes a directory with mode 0700 in $XDG_RUNTIME_DIR, or in /tmp if that is
  // not set or its path leaves no room for the name of a Unix socket (108
  // bytes). Removes those that dead processes left there.
  static absl::StatusOr<TempDirectory> Make();

  // Returns the paths of this user's directories whose makers are alive, in
  // order.
  static std::vector<std::string> InUse();

  TempDirectory(TempDirectory&& other) noexcept;
  TempDirectory& operator=(TempDirectory&&) = delete;
  ~TempDirectory();

  const std::string& path() const { return path_; }

 private:
  TempDirectory(std::string path, int lock)
      : path_(std::move(path)), lock_(lock) {}

  std::string path_;  // empty: moved from
  int lock_;          // open for as long as the directory is in use
};

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_PROCESS_TEMP_DIRECTORY_H_
