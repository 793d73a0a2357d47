#include "client_sdk/runtime/process/mapping_time.h"

#include <errno.h>
#include <sys/mman.h>

#include <thread>

#include "client_sdk/runtime/process/process_usage.h"
#include "client_sdk/session/clock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

// Maps nothing for a microsecond or more; returns what was counted at least.
int64_t SpendSome() {
  const MappingTime time;
  const int64_t begin_ns = session::NowNs();
  while (session::NowNs() < begin_ns + 1000) {
  }
  return session::NowNs() - begin_ns;
}

TEST(MappingTimeTest, AddsUpUntilTheEndOfTheBlock) {
  const int64_t before_ns = MappingTime::TotalNs();
  const int64_t first_ns = SpendSome();
  EXPECT_GE(MappingTime::TotalNs(), before_ns + first_ns);
  const int64_t second_ns = SpendSome();
  EXPECT_GE(MappingTime::TotalNs(), before_ns + first_ns + second_ns);
}

TEST(MappingTimeTest, CountsAllThreads) {
  const int64_t before_ns = MappingTime::TotalNs();
  int64_t other_ns = 0;
  std::thread other([&] { other_ns = SpendSome(); });
  const int64_t own_ns = SpendSome();
  other.join();
  EXPECT_GE(MappingTime::TotalNs(), before_ns + own_ns + other_ns);
}

TEST(MappingTimeTest, LeavesTheErrorOfACallAlone) {
  const auto fail = [] {
    const MappingTime time;
    return mprotect(reinterpret_cast<void*>(1), kPage, PROT_NONE);
  };
  EXPECT_NE(fail(), 0);
  EXPECT_EQ(errno, EINVAL);
}

TEST(ProcessUsageTest, SaysWhatWasSpentInLinuxAndInMappingCalls) {
  const ProcessUsage before = ProcessUsage::Now();
  const int64_t mapping_ns = SpendSome();
  ProcessUsage after = ProcessUsage::Now();
  EXPECT_GE(after.mapping_ns, before.mapping_ns + mapping_ns);
  // Linux samples it.
  while (after.system_ns == before.system_ns) {
    void* page = mmap(nullptr, 64 * kPage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    munmap(page, 64 * kPage);
    after = ProcessUsage::Now();
  }
  EXPECT_GE(after.processor_ns - before.processor_ns,
            after.system_ns - before.system_ns);
}

}  // namespace
}  // namespace stowage::runtime
