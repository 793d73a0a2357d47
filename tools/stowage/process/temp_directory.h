// A private directory that is removed with its content; if the process is
// killed, by the next one that makes such a directory.
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
  // Under $XDG_RUNTIME_DIR, or /tmp where that is not set or its path leaves
  // no room for a Unix socket's name (108 bytes). Mode 0700. Removes what
  // processes that are gone left there.
  static absl::StatusOr<TempDirectory> Make();

  // The paths of those of this user whose makers are alive, in order.
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
