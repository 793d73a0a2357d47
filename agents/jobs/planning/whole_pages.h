// Rounds sizes as the job's arenas are divided.
//
//   const int64_t room_bytes = WholePages(/*size_bytes=*/5000);
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_WHOLE_PAGES_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_WHOLE_PAGES_H_

#include <cstdint>

#include "client_sdk/session/session.h"

namespace stowage::agent {

// Returns the size of as many pages as hold `size_bytes`.
inline int64_t WholePages(int64_t size_bytes) {
  return (size_bytes + session::kPageBytes - 1) / session::kPageBytes *
         session::kPageBytes;
}

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_WHOLE_PAGES_H_
