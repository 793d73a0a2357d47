#include "policies/model/byte_size.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace stowage::policies {

std::string DescribeBytes(int64_t bytes) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  if (bytes < kMiB) return absl::StrCat(bytes, " bytes");
  const double mib = static_cast<double>(bytes) / kMiB;
  if (mib >= 100) {
    return absl::StrCat((bytes + kMiB - 1) / kMiB, " MiB (", bytes, " bytes)");
  }
  const int parts = mib < 10 ? 100 : 10;
  return absl::StrCat(std::ceil(mib * parts) / parts, " MiB (", bytes,
                      " bytes)");
}

}  // namespace stowage::policies
