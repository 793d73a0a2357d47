#include "policies/model/byte_size.h"

#include "absl/strings/str_cat.h"

namespace stowage {

std::string DescribeBytes(int64_t bytes) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  if (bytes < kMiB) return absl::StrCat(bytes, " bytes");
  const int64_t mib = bytes / kMiB + (bytes % kMiB > 0 ? 1 : 0);
  return absl::StrCat(mib, " MiB (", bytes, " bytes)");
}

}  // namespace stowage
