#include "tools/stowage/graphs/host_processor.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"

namespace stowage::cli {
namespace {

constexpr size_t kBufferBytes = 32 << 20;
constexpr size_t kPieceBytes = 1 << 20;
constexpr int kRounds = 4;

// Returns the value of the first line "KEY : VALUE"; empty if there is none.
absl::string_view FindField(absl::string_view cpuinfo, absl::string_view key) {
  for (absl::string_view line : absl::StrSplit(cpuinfo, '\n')) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    if (absl::StripAsciiWhitespace(parts.first) == key) {
      return absl::StripAsciiWhitespace(parts.second);
    }
  }
  return {};
}

// Returns the nominal clock, which may be part of the name ("@ 2.50GHz"), else
// that of the moment, which says little.
double ClockHz(absl::string_view name, absl::string_view cpuinfo) {
  const size_t at = name.rfind("@ ");
  double value = 0;
  if (at != absl::string_view::npos &&
      absl::SimpleAtod(absl::StripSuffix(name.substr(at + 2), "GHz"), &value)) {
    return value * 1e9;
  }
  if (absl::SimpleAtod(FindField(cpuinfo, "cpu MHz"), &value)) {
    return value * 1e6;
  }
  return 0;
}

int FlopsPerCycle(absl::string_view cpuinfo) {
  const std::set<absl::string_view> flags =
      absl::StrSplit(FindField(cpuinfo, "flags"), ' ');
  if (flags.count("avx512f") > 0) return 64;
  if (flags.count("avx2") > 0 && flags.count("fma") > 0) return 32;
  return flags.count("avx") > 0 ? 16 : 8;
}

// Measures how much one thread reads and writes a second while the others copy,
// too. The pieces are short beside a time slice, so that the median does not
// depend on who else runs here.
void MeasureCopies(int64_t& bytes_per_second) {
  const std::vector<char> source(kBufferBytes, 1);
  std::vector<char> destination(kBufferBytes, 2);
  std::vector<int64_t> durations_ns;
  for (int round = 0; round < kRounds; ++round) {
    for (size_t at = 0; at < kBufferBytes; at += kPieceBytes) {
      const int64_t begin_ns = absl::GetCurrentTimeNanos();
      std::memcpy(&destination[at], &source[at], kPieceBytes);
      durations_ns.push_back(absl::GetCurrentTimeNanos() - begin_ns);
    }
  }
  const auto median = durations_ns.begin() + durations_ns.size() / 2;
  std::nth_element(durations_ns.begin(), median, durations_ns.end());
  bytes_per_second =
      2 * int64_t{kPieceBytes} * 1'000'000'000 / std::max<int64_t>(*median, 1);
}

// Rounds to two significant digits, so that a second capture on the same host
// mostly agrees.
int64_t Rounded(int64_t value) {
  const double unit = std::pow(
      10,
      std::floor(std::log10(std::max<double>(static_cast<double>(value), 1))) -
          1);
  return static_cast<int64_t>(std::round(static_cast<double>(value) / unit) *
                              unit);
}

int64_t MeasureBytesPerSecond(int cores) {
  std::vector<int64_t> rates(static_cast<size_t>(cores), 0);
  std::vector<std::thread> threads;
  for (int64_t& rate : rates) {
    threads.emplace_back([&rate] { MeasureCopies(rate); });
  }
  int64_t total = 0;
  for (size_t i = 0; i < threads.size(); ++i) {
    threads[i].join();
    total += rates[i];
  }
  return Rounded(total);
}

int UsableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace

HostProcessor ProcessorFromCpuinfo(absl::string_view cpuinfo, int cores) {
  const absl::string_view name = FindField(cpuinfo, "model name");
  HostProcessor processor;
  processor.name = absl::StrCat(name.empty() ? "processor" : name, ", ", cores,
                                cores == 1 ? " core" : " cores");
  processor.peak.flops_per_second = static_cast<int64_t>(
      cores * ClockHz(name, cpuinfo) * FlopsPerCycle(cpuinfo));
  return processor;
}

HostProcessor DescribeHostProcessor() {
  std::ifstream file("/proc/cpuinfo");
  const std::string cpuinfo{std::istreambuf_iterator<char>(file), {}};
  const int cores = UsableCores();
  HostProcessor processor = ProcessorFromCpuinfo(cpuinfo, cores);
  processor.peak.bytes_per_second = MeasureBytesPerSecond(cores);
  return processor;
}

}  // namespace stowage::cli
