#include "server/placement/planning_memory.h"

#include <algorithm>

namespace stowage {
namespace {

constexpr int64_t kLeastBytes = int64_t{16} << 20;

// Bytes for each byte of a graph: they hold the graph as planners read it,
// their indices of it, and the plan several times. Measured with a limit of
// half the peak: 20 to 40 for all policies but AutoTM, whose integer programs
// take 280.
constexpr int64_t kBytesPerByte = 40;
constexpr int64_t kProgramBytesPerByte = 400;

// The bytes of a graph that a kernel or a tensor takes, about. DeepTM keeps an
// entry for each living tensor at each kernel, up to kMaxHeatEntries.
constexpr int64_t kRowBytes = 64;
constexpr int64_t kEntryBytes = 16;
constexpr int64_t kMostEntryBytes = int64_t{512} << 20;

int64_t EntryBytes(int64_t graph_bytes) {
  const int64_t rows = std::min<int64_t>(graph_bytes / kRowBytes, 1 << 20);
  return std::min(kMostEntryBytes, rows * rows * kEntryBytes);
}

}  // namespace

int64_t EstimatePlanningBytes(int64_t graph_bytes, std::string_view policy) {
  if (policy.starts_with("autotm")) {
    return kLeastBytes + kProgramBytesPerByte * graph_bytes;
  }
  const int64_t bytes = kLeastBytes + kBytesPerByte * graph_bytes;
  return policy.starts_with("deeptm") ? bytes + EntryBytes(graph_bytes) : bytes;
}

}  // namespace stowage
