#include "agents/jobs/planning/limit_search.h"

#include <algorithm>
#include <optional>

#include "agents/jobs/planning/limit_too_small.h"
#include "agents/jobs/planning/whole_pages.h"

namespace stowage::agent {
namespace {

constexpr int kMostPlans = 8;
// Limits nearer to each other, as a part of the largest one, are alike.
constexpr int64_t kNearShare = 100;

}  // namespace

absl::StatusOr<int64_t> FindLimit(int64_t most_bytes, int64_t most_ns,
                                  PlanUnderLimit plan) {
  int64_t enough_bytes = WholePages(most_bytes);
  int64_t too_few_bytes = 0;
  for (int n = 0; n < kMostPlans; ++n) {
    const int64_t limit_bytes =
        n == 0 ? enough_bytes
               : WholePages(too_few_bytes + (enough_bytes - too_few_bytes) / 2);
    const absl::StatusOr<v1::MakePlanResponse> made = plan(limit_bytes);
    const std::optional<v1::LimitTooSmall> too_small =
        LimitTooSmallOf(made.status());
    if (!made.ok() && (n == 0 || !too_small.has_value())) return made.status();
    // What streams is slower than predicted.
    const bool fits = made.ok() && made->plan().streams().empty() &&
                      made->plan().prediction().step_time_ns() <= most_ns;
    if (n == 0 && !fits) return enough_bytes;
    if (fits) {
      enough_bytes = limit_bytes;
    } else {
      too_few_bytes = limit_bytes;
    }
    if (too_small.has_value()) {
      too_few_bytes =
          std::max(too_few_bytes, too_small->least_limit_bytes() - 1);
    }
    if (enough_bytes - too_few_bytes <= most_bytes / kNearShare) break;
  }
  return enough_bytes;
}

}  // namespace stowage::agent
