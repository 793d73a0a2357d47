#include "tools/stowage/inputs/fast_limit.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client_sdk/session/size_spec.h"
#include "policies/model/liveness.h"
#include "tools/stowage/inputs/size_option.h"

namespace stowage::cli {
namespace {

int64_t ShareOfPeak(double share, const policies::Graph& graph) {
  return static_cast<int64_t>(
      share * static_cast<double>(policies::ComputeLiveness(graph).peak_bytes));
}

absl::StatusOr<int64_t> ResolveFast(const std::string& text,
                                    const policies::Graph& graph) {
  const std::optional<session::Limit> limit = session::ParseLimit(text);
  if (!limit) {
    return absl::InvalidArgumentError(
        absl::StrCat("--fast '", text, "' ", session::WhyNoLimit(text)));
  }
  if (limit->unlimited()) {
    return absl::InvalidArgumentError(
        "--fast unlimited leaves nothing to plan; give a size or a share");
  }
  if (limit->slowdown > 0) {
    return absl::InvalidArgumentError(
        "--fast auto is found from a job that runs; give a size or a share");
  }
  return limit->bytes > 0 ? limit->bytes : ShareOfPeak(limit->fraction, graph);
}

absl::StatusOr<int64_t> ResolveRatio(const std::string& text,
                                     const policies::Graph& graph) {
  const std::optional<double> share = session::ParseShare(text);
  if (share) return ShareOfPeak(*share, graph);
  const bool percent = session::IsBareNumber(text) &&
                       session::ParseShare(text + "%").has_value();
  return absl::InvalidArgumentError(
      absl::StrCat("--fast-ratio ", text, ": not ", session::kShareForms,
                   percent ? absl::StrCat("; did you mean ", text, "%?") : ""));
}

}  // namespace

absl::StatusOr<int64_t> ResolveLimit(const FastLimit& limit,
                                     const policies::Graph& graph) {
  const int given =
      !limit.fast.empty() + !limit.bytes.empty() + !limit.ratio.empty();
  if (given != 1) {
    return absl::InvalidArgumentError(
        "give one of --fast, --fast-bytes and --fast-ratio");
  }
  if (!limit.fast.empty()) return ResolveFast(limit.fast, graph);
  if (!limit.bytes.empty()) return ParseSize("--fast-bytes", limit.bytes);
  return ResolveRatio(limit.ratio, graph);
}

}  // namespace stowage::cli
