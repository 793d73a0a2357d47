// Says what a process takes of the machine, as the kernel tells (proc(5)).
//
//   int64_t rss_bytes = ResidentBytes(server.pid());
//   bool idle = IdlesWithin(server.pid(), absl::Seconds(2));
#ifndef STOWAGE_TESTS_E2E_SERVER_PROCESS_USAGE_H_
#define STOWAGE_TESTS_E2E_SERVER_PROCESS_USAGE_H_

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace stowage {

inline int64_t ResidentBytes(pid_t pid) {
  std::ifstream statm(absl::StrCat("/proc/", pid, "/statm"));
  int64_t size_pages = 0;
  int64_t resident_pages = 0;
  statm >> size_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

// Returns the time of all of its threads since it began.
inline absl::Duration CpuTime(pid_t pid) {
  std::ifstream stat(absl::StrCat("/proc/", pid, "/stat"));
  std::string field;
  // Fields 14 and 15; the name, field 2, has no space.
  for (int i = 1; i < 14; ++i) stat >> field;
  int64_t user_ticks = 0;
  int64_t system_ticks = 0;
  stat >> user_ticks >> system_ticks;
  return absl::Seconds(1) * (user_ticks + system_ticks) / sysconf(_SC_CLK_TCK);
}

// Returns whether it uses less than a tenth of a core over a fifth of a second,
// at some moment before `timeout`.
inline bool IdlesWithin(pid_t pid, absl::Duration timeout) {
  constexpr absl::Duration kWindow = absl::Milliseconds(200);
  const absl::Time end = absl::Now() + timeout;
  while (absl::Now() < end) {
    const absl::Duration before = CpuTime(pid);
    absl::SleepFor(kWindow);
    if (CpuTime(pid) - before < kWindow / 10) return true;
  }
  return false;
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_E2E_SERVER_PROCESS_USAGE_H_
