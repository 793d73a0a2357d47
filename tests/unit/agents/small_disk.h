// Runs code of a test on a disk of its own that is soon full.
//
//   const SmallDiskResult result =
//       OnSmallDisk(1 << 20, [](const std::string& path) {
//         return !MakeTierProvider(*ParseTierSpec("file:" + path)).ok();
//       });
//   if (result == SmallDiskResult::kNone) GTEST_SKIP();
//   EXPECT_EQ(result, SmallDiskResult::kTrue);
#ifndef STOWAGE_TESTS_UNIT_AGENTS_SMALL_DISK_H_
#define STOWAGE_TESTS_UNIT_AGENTS_SMALL_DISK_H_

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>

#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {

enum class SmallDiskResult { kTrue, kFalse, kNone };

// Lets this process mount file systems for itself, also one that is not root.
inline bool MayMount() {
  const std::string user = std::to_string(geteuid());
  if (unshare(CLONE_NEWNS) == 0) return true;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream map("/proc/self/uid_map");
  map << "0 " << user << " 1" << std::flush;
  return map.good();
}

inline bool MountSmallDisk(const std::string& path, int64_t bytes) {
  return MayMount() &&
         mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", path.c_str(), "tmpfs", 0,
               ("size=" + std::to_string(bytes)).c_str()) == 0;
}

// Returns what `body` does, which runs in a child. kNone: this user may not
// mount a file system.
inline SmallDiskResult OnSmallDisk(
    int64_t bytes, const std::function<bool(const std::string& path)>& body) {
  const TempDirectory directory;
  const pid_t child = fork();
  if (child == 0) {
    if (!MountSmallDisk(directory.path(), bytes)) _exit(2);
    _exit(body(directory.path()) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
    return SmallDiskResult::kNone;
  }
  return status == 0 ? SmallDiskResult::kTrue : SmallDiskResult::kFalse;
}

}  // namespace stowage::agent

#endif  // STOWAGE_TESTS_UNIT_AGENTS_SMALL_DISK_H_
