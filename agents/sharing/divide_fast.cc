#include "agents/sharing/divide_fast.h"

#include <algorithm>

namespace stowage::agent {
namespace {

constexpr int64_t kPageBytes = 4096;

// Returns `part` of `whole` parts of `bytes`, in whole pages.
int64_t ShareOf(int64_t bytes, int64_t part, int64_t whole) {
  if (whole <= 0) return 0;
  const double share = static_cast<double>(part) / static_cast<double>(whole);
  return static_cast<int64_t>(share * static_cast<double>(bytes)) / kPageBytes *
         kPageBytes;
}

}  // namespace

std::vector<int64_t> DivideFast(int64_t total_bytes,
                                const std::vector<FastClaim>& claims) {
  std::vector<int64_t> parts;
  int64_t sure_bytes = 0;
  int64_t beyond_bytes = 0;
  for (const FastClaim& claim : claims) {
    parts.push_back(std::min(claim.floor_bytes, claim.want_bytes));
    sure_bytes += parts.back();
    beyond_bytes += claim.want_bytes - parts.back();
  }
  const int64_t left_bytes = total_bytes - sure_bytes;
  for (size_t i = 0; i < claims.size(); ++i) {
    if (left_bytes < 0) {
      parts[i] = ShareOf(total_bytes, parts[i], sure_bytes);
    } else if (left_bytes >= beyond_bytes) {
      parts[i] = claims[i].want_bytes;
    } else {
      parts[i] +=
          ShareOf(left_bytes, claims[i].want_bytes - parts[i], beyond_bytes);
    }
  }
  return parts;
}

}  // namespace stowage::agent
