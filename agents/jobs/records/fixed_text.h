// Writes text into the fixed arrays of the session segment.
//
//   SetText(welcome.error, "slow tier: /mnt/nvme does not exist");
#ifndef STOWAGE_AGENTS_JOBS_RECORDS_FIXED_TEXT_H_
#define STOWAGE_AGENTS_JOBS_RECORDS_FIXED_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "absl/strings/string_view.h"

namespace stowage::agent {

// Writes `text`, cut to fit, and fills the rest with zeros.
template <size_t N>
void SetText(char (&array)[N], absl::string_view text) {
  const size_t size = std::min(text.size(), N - 1);
  std::memcpy(array, text.data(), size);
  std::memset(array + size, 0, N - size);
}

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_RECORDS_FIXED_TEXT_H_
