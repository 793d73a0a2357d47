#include "tools/stowage/graphs/host_processor.h"

#include "gtest/gtest.h"

namespace stowage::cli {
namespace {

TEST(HostProcessorTest, CountsWhatTheVectorUnitsCanDo) {
  const HostProcessor wide = ProcessorFromCpuinfo(
      "model name\t: Xeon @ 2.50GHz\ncpu MHz\t\t: 3100.0\n"
      "flags\t\t: fpu avx fma avx2 avx512f\n",
      2);
  EXPECT_EQ(wide.name, "Xeon @ 2.50GHz, 2 cores");
  EXPECT_EQ(wide.peak.flops_per_second, 320'000'000'000);
  const HostProcessor narrow = ProcessorFromCpuinfo(
      "model name : Epyc\ncpu MHz : 2000.0\nflags : avx fma avx2\n", 1);
  EXPECT_EQ(narrow.name, "Epyc, 1 core");
  EXPECT_EQ(narrow.peak.flops_per_second, 64'000'000'000);
}

TEST(HostProcessorTest, StatesNoPeakWhereTheHostDoesNotSay) {
  EXPECT_EQ(ProcessorFromCpuinfo("", 4).peak.flops_per_second, 0);
}

}  // namespace
}  // namespace stowage::cli
