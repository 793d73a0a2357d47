#include "agents/jobs/planning/limit_curve.h"

#include <cstdint>
#include <optional>

#include "agents/jobs/planning/limit_too_small.h"
#include "agents/jobs/planning/whole_pages.h"

namespace stowage::agent {
namespace {

constexpr int64_t kIntervals = 4;

}  // namespace

absl::StatusOr<StepCurve> PlanCurve(const CurveRange& range,
                                    PlanUnderLimit plan) {
  StepCurve curve;
  int64_t least_bytes = range.least_bytes;
  for (int64_t i = 0; i <= kIntervals; ++i) {
    int64_t limit_bytes = WholePages(
        least_bytes + (range.most_bytes - least_bytes) * i / kIntervals);
    absl::StatusOr<v1::MakePlanResponse> made = plan(limit_bytes);
    const std::optional<v1::LimitTooSmall> too_small =
        LimitTooSmallOf(made.status());
    if (i == 0 && too_small.has_value()) {
      least_bytes = too_small->least_limit_bytes();
      if (least_bytes > range.most_bytes) return StepCurve();
      limit_bytes = WholePages(least_bytes);
      made = plan(limit_bytes);
    }
    if (made.ok()) {
      curve.push_back({limit_bytes, made->plan().prediction().step_time_ns()});
    } else if (!LimitTooSmallOf(made.status()).has_value()) {
      return made.status();
    }
  }
  return curve;
}

}  // namespace stowage::agent
