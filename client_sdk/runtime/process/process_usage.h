// Says what the process has used of processors and of the host's paging, and
// what the runtime's own changes of its page tables took.
//
//   const ProcessUsage begin = ProcessUsage::Now();
//   const int64_t processor_ns = ProcessUsage::Now().processor_ns -
//                                begin.processor_ns;
//
// A system call each. Thread-safe.
//
// Linux tells user and kernel mode apart by samples, each a few milliseconds
// long: `system_ns` of a short step is rough, and the sum over many is not.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_PROCESS_USAGE_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_PROCESS_USAGE_H_

#include <sys/resource.h>

#include <cstdint>

#include "client_sdk/runtime/process/mapping_time.h"

namespace stowage::runtime {

struct ProcessUsage {
  int64_t processor_ns = 0;  // of all its threads, in user and kernel mode
  int64_t page_faults = 0;   // minor and major ones
  int64_t system_ns = 0;     // of `processor_ns`, in kernel mode
  int64_t mapping_ns = 0;    // MappingTime::TotalNs()

  static ProcessUsage Now() {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    const auto ns = [](const timeval& time) {
      return time.tv_sec * int64_t{1'000'000'000} + time.tv_usec * 1000;
    };
    return {.processor_ns = ns(usage.ru_utime) + ns(usage.ru_stime),
            .page_faults = usage.ru_minflt + usage.ru_majflt,
            .system_ns = ns(usage.ru_stime),
            .mapping_ns = MappingTime::TotalNs()};
  }
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_PROCESS_USAGE_H_
