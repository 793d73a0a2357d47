#include "policies/verify/tier_arena.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "policies/plan/plan.h"
#include "policies/verify/violation.h"

namespace stowage::policies {
namespace {

int64_t RoundUp(int64_t bytes, int64_t alignment_bytes) {
  const int64_t rest = bytes % alignment_bytes;
  return rest == 0 ? bytes : bytes - rest + alignment_bytes;
}

absl::Status Overlap(KernelIndex boundary, TensorIndex a, TensorIndex b) {
  const auto [first, second] = std::minmax(a, b);
  const std::string with = first < 0 ? "the streaming window and tensor "
                                     : absl::StrCat("tensors ", first, " and ");
  return Violation("overlap", absl::StrCat("at kernel ", boundary, " ", with,
                                           second, " share bytes"));
}

}  // namespace

int64_t TakenBytes(int64_t size_bytes) {
  return RoundUp(size_bytes, size_bytes < kPlacementAlignmentBytes
                                 ? kSharedPageAlignmentBytes
                                 : kPlacementAlignmentBytes);
}

int64_t TakenPagesBytes(int64_t bytes) {
  return RoundUp(bytes, kPlacementAlignmentBytes);
}

absl::Status TierArena::Take(TensorIndex tensor, int64_t offset, int64_t bytes,
                             KernelIndex boundary) {
  if (end_bytes_.has_value() && offset > *end_bytes_ - bytes) {
    return Violation(
        end_violation_,
        absl::StrCat("at boundary ", boundary,
                     tensor < 0 ? " the streaming window"
                                : absl::StrCat(" tensor ", tensor),
                     " ends at byte ", offset + bytes, ", past the ",
                     *end_bytes_, " bytes there are"));
  }
  const auto above = held_.lower_bound(offset);
  if (above != held_.end() && above->first < offset + bytes) {
    return Overlap(boundary, tensor, above->second.tensor);
  }
  if (above != held_.begin() && std::prev(above)->second.end > offset) {
    return Overlap(boundary, tensor, std::prev(above)->second.tensor);
  }
  held_[offset] = {offset + bytes, tensor};
  return absl::OkStatus();
}

}  // namespace stowage::policies
