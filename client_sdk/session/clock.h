// Defines the time base of everything that a job measures.
//
//   const int64_t begin_ns = NowNs();
//   Run(kernel);
//   const int64_t duration_ns = NowNs() - begin_ns;
#ifndef STOWAGE_CLIENT_SDK_SESSION_CLOCK_H_
#define STOWAGE_CLIENT_SDK_SESSION_CLOCK_H_

#include <time.h>

#include <cstdint>

namespace stowage::session {

// Returns CLOCK_MONOTONIC, which is the same in every process of the host.
inline int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_CLOCK_H_
