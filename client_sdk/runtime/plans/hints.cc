#include "client_sdk/runtime/plans/hints.h"

#include <algorithm>
#include <utility>

namespace stowage::runtime {

std::optional<std::vector<session::Hint>> CopyHints(
    const session::HintArea& area, const PlanTable& plan, int tier_count) {
  const uint32_t count = area.hint_count;
  if (count > session::kMaxHints) return std::nullopt;
  std::vector<session::Hint> hints(area.hints, area.hints + count);
  const auto within = [](int32_t index, size_t size) {
    return index >= 0 && static_cast<size_t>(index) < size;
  };
  const bool known =
      std::all_of(hints.begin(), hints.end(), [&](const session::Hint& hint) {
        return within(hint.kernel, plan.kernels.size()) &&
               within(hint.tensor, plan.tensor_count) &&
               within(hint.tier, tier_count);
      });
  const bool ordered = std::is_sorted(
      hints.begin(), hints.end(),
      [](const auto& a, const auto& b) { return a.kernel < b.kernel; });
  if (!known || !ordered) return std::nullopt;
  return hints;
}

void HintQueue::Replace(std::vector<session::Hint> hints) {
  ahead = std::move(hints);
  next = 0;
}

int64_t HintQueue::Advance(int32_t kernel) {
  int64_t superseded = 0;
  for (; next < ahead.size() && ahead[next].kernel <= kernel; ++next) {
    const bool added =
        due.insert_or_assign(ahead[next].tensor, ahead[next]).second;
    if (!added) ++superseded;
  }
  return superseded;
}

}  // namespace stowage::runtime
