#include "tools/stowage/output/units.h"

#include "absl/strings/str_format.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::cli {

std::string FormatBytes(int64_t bytes) { return session::SizeText(bytes); }

std::string FormatDurationNs(int64_t duration_ns) {
  const double ns = static_cast<double>(duration_ns);
  if (duration_ns < 1000) return absl::StrFormat("%d ns", duration_ns);
  if (duration_ns < 1000000) return absl::StrFormat("%.3g us", ns / 1e3);
  if (duration_ns < 1000000000) return absl::StrFormat("%.3g ms", ns / 1e6);
  return absl::StrFormat("%.2f s", ns / 1e9);
}

std::string FormatShare(int64_t part, int64_t whole) {
  if (whole <= 0) return "";
  return absl::StrFormat("%.1f %%", 100.0 * static_cast<double>(part) /
                                        static_cast<double>(whole));
}

}  // namespace stowage::cli
