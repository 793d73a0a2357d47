// Adds up how long the runtime takes to change the page tables of its process:
// to map, open and close pages, to fill them and to give them back.
//
//   {
//     const MappingTime time;  // until the end of the block
//     mprotect(begin, bytes, PROT_NONE);
//   }
//   MappingTime::TotalNs();
//
// One count for the process, like those of getrusage(). Thread-safe, and safe
// in a handler of a fault. The total is a sum over threads, whose times may have
// passed at once, and has what they waited for one another. Leaves errno alone.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_MAPPING_TIME_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_MAPPING_TIME_H_

#include <atomic>
#include <cstdint>

#include "client_sdk/session/clock.h"

namespace stowage::runtime {

class MappingTime {
 public:
  MappingTime() : begin_ns_(session::NowNs()) {}
  ~MappingTime() {
    total_ns_.fetch_add(session::NowNs() - begin_ns_,
                        std::memory_order_relaxed);
  }
  MappingTime(const MappingTime&) = delete;
  MappingTime& operator=(const MappingTime&) = delete;

  // Returns what has been counted since the process began.
  static int64_t TotalNs() { return total_ns_.load(std::memory_order_relaxed); }

 private:
  inline static std::atomic<int64_t> total_ns_{0};

  const int64_t begin_ns_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_MAPPING_TIME_H_
