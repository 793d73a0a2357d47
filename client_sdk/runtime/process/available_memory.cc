#include "client_sdk/runtime/process/available_memory.h"

#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace stowage::runtime {
namespace {

constexpr int64_t kUnlimited = AvailableMemory::kUnlimited;
constexpr int64_t kPageBytes = 4096;
// Version 1 has this number, less a page, in place of "max".
constexpr int64_t kNoLimit = kUnlimited / kPageBytes * kPageBytes;

// Returns the number in a file; `kUnlimited` if there is none ("max").
int64_t ReadNumber(const std::string& path) {
  std::ifstream file(path);
  int64_t number;
  return file >> number ? number : kUnlimited;
}

int64_t HostAvailableBytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  int64_t kib;
  while (file >> key) {
    if (key == "MemAvailable:" && file >> kib) return kib << 10;
  }
  return kUnlimited;
}

int64_t Headroom(const std::string& limit_path, const std::string& usage_path) {
  const int64_t limit = ReadNumber(limit_path);
  const int64_t usage = ReadNumber(usage_path);
  if (limit >= kNoLimit || usage == kUnlimited) return kUnlimited;
  return std::max<int64_t>(0, limit - usage);
}

// Returns the least headroom from the process's cgroup up to the root.
int64_t CgroupHeadroomBytes() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  int64_t least = kUnlimited;
  while (std::getline(file, line)) {
    const bool unified = line.rfind("0::", 0) == 0;
    const size_t memory = line.find(":memory:");
    if (!unified && memory == std::string::npos) continue;
    std::string path = unified ? line.substr(3) : line.substr(memory + 8);
    for (;; path.erase(path.rfind('/'))) {
      const std::string v2 = "/sys/fs/cgroup" + path;
      const std::string v1 = "/sys/fs/cgroup/memory" + path;
      least =
          std::min({least, Headroom(v2 + "/memory.max", v2 + "/memory.current"),
                    Headroom(v1 + "/memory.limit_in_bytes",
                             v1 + "/memory.usage_in_bytes")});
      if (path.rfind('/') == std::string::npos) break;
    }
  }
  return least;
}

}  // namespace

AvailableMemory AvailableMemory::Now() {
  const int64_t cgroup_bytes = CgroupHeadroomBytes();
  AvailableMemory available{
      .bytes = std::min(HostAvailableBytes(), cgroup_bytes) / 5 * 4};
  if (cgroup_bytes != kUnlimited) {
    available.cgroup_bytes =
        std::max(kPageBytes, cgroup_bytes / 10 * 9 / kPageBytes * kPageBytes);
  }
  return available;
}

}  // namespace stowage::runtime
