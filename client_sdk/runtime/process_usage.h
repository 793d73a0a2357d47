// Says what the process has used of processors and of the host's paging.
//
//   const ProcessUsage begin = ProcessUsage::Now();
//   const int64_t processor_ns = ProcessUsage::Now().processor_ns -
//                                begin.processor_ns;
//
// A system call each. Thread-safe.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_USAGE_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_USAGE_H_

#include <sys/resource.h>

#include <cstdint>

namespace stowage::runtime {

struct ProcessUsage {
  int64_t processor_ns = 0;  // of all its threads, in user and kernel mode
  int64_t page_faults = 0;   // minor and major ones

  static ProcessUsage Now() {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    const auto ns = [](const timeval& time) {
      return time.tv_sec * int64_t{1'000'000'000} + time.tv_usec * 1000;
    };
    return {.processor_ns = ns(usage.ru_utime) + ns(usage.ru_stime),
            .page_faults = usage.ru_minflt + usage.ru_majflt};
  }
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_USAGE_H_
