// Tells how many addresses this process may still map.
//
//   hello.address_bytes = AddressBytesLeft();
#ifndef STOWAGE_CLIENT_SDK_SESSION_ADDRESS_SPACE_H_
#define STOWAGE_CLIENT_SDK_SESSION_ADDRESS_SPACE_H_

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace stowage::session {

// Returns what the limit on address space (`ulimit -v`) leaves, at least a page;
// 0 where there is no limit.
inline int64_t AddressBytesLeft() {
  constexpr int64_t kPageBytes = 4096;
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return 0;
  }
  std::ifstream file("/proc/self/statm");
  int64_t mapped_pages = 0;
  file >> mapped_pages;
  const auto limit_bytes = static_cast<int64_t>(limit.rlim_cur);
  return std::max(kPageBytes, limit_bytes - mapped_pages * kPageBytes);
}

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_ADDRESS_SPACE_H_
