#include "tools/stowage/inputs/fast_limit.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client_sdk/session/size_spec.h"
#include "policies/model/liveness.h"

namespace stowage::cli {

absl::StatusOr<int64_t> ResolveLimit(const FastLimit& limit,
                                     const Graph& graph) {
  if (limit.bytes.empty() != limit.ratio.has_value()) {
    return absl::InvalidArgumentError(
        "give one of --fast-bytes and --fast-ratio");
  }
  if (limit.bytes.empty()) {
    if (!(*limit.ratio > 0 && *limit.ratio <= 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--fast-ratio ", *limit.ratio,
                       ": not a share of the graph's peak; give a number above "
                       "0 and at most 1, such as 0.2"));
    }
    return static_cast<int64_t>(
        *limit.ratio * static_cast<double>(ComputeLiveness(graph).peak_bytes));
  }
  const std::optional<int64_t> bytes = session::ParseSize(limit.bytes);
  if (bytes) return *bytes;
  return absl::InvalidArgumentError(
      absl::StrCat("--fast-bytes ", limit.bytes, ": not a size; give ",
                   std::string(session::kSizeForms)));
}

}  // namespace stowage::cli
