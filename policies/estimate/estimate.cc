#include "policies/estimate/estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "policies/bound/quick_bound.h"
#include "policies/estimate/knee.h"
#include "policies/model/liveness.h"
#include "policies/planning/workload.h"
#include "policies/simulate/plan_usage.h"

namespace stowage::policies {
namespace {

// The plans of a goal: each halves the distance between two limits.
constexpr int kPlansPerGoal = 4;
// Limits nearer to each other, as a share of the peak, are alike.
constexpr int64_t kNearShare = 100;
// By how much AllFastNs() may be too low.
constexpr double kAllFastError = 1e-5;
// What verifying, simulating and measuring a plan takes beside making it, in
// plans.
constexpr double kPlanOverhead = 1;
// The share of a plan's time that its bound may take.
constexpr double kBoundShare = 0.5;

// Looks at limits one by one and remembers what it has seen.
class Curve {
 public:
  Curve(const Graph& graph, const MemorySystem& system, PlanUnderLimit plan,
        const EstimateOptions& options)
      : graph_(graph), system_(system), plan_(plan), options_(options) {
    const double plans = options.points + static_cast<double>(kPlansPerGoal) *
                                              options.speeds.size();
    think_time_ = options.budget / (plans * (1 + kPlanOverhead + kBoundShare));
  }

  // Plans under these limits, two at a time. Returns the first error that a
  // limit does not explain.
  absl::Status Add(const std::vector<int64_t>& limits_bytes) {
    std::vector<absl::StatusOr<EstimatePoint>> made(limits_bytes.size());
    const auto make = [&](size_t first, size_t step) {
      for (size_t i = first; i < limits_bytes.size(); i += step) {
        made[i] = Point(limits_bytes[i]);
      }
    };
    if (options_.call_both && limits_bytes.size() > 1) {
      options_.call_both([&] { make(0, 2); }, [&] { make(1, 2); });
    } else {
      make(0, 1);
    }
    for (const absl::StatusOr<EstimatePoint>& point : made) {
      if (point.ok()) {
        points_[point->limit_bytes] = *point;
      } else if (!absl::IsFailedPrecondition(point.status())) {
        return point.status();
      }
    }
    KeepDescending();
    return absl::OkStatus();
  }

  const std::map<int64_t, EstimatePoint>& points() const { return points_; }

 private:
  absl::StatusOr<EstimatePoint> Point(int64_t limit_bytes) {
    const absl::StatusOr<Plan> plan = plan_(limit_bytes, think_time_);
    if (!plan.ok()) return plan.status();
    const Prediction& prediction = plan->prediction;
    std::vector<int64_t> peaks =
        MeasurePlanUsage(graph_, system_, *plan).peak_bytes;
    peaks[kFastTier] = limit_bytes;
    EstimatePoint point = {
        .limit_bytes = limit_bytes,
        .step_time_ns = prediction.step_time_ns,
        .bound_ns = QuickBoundNs(graph_, system_, limit_bytes,
                                 think_time_ * kBoundShare),
        .slow_peak_bytes =
            std::accumulate(peaks.begin() + 1, peaks.end(), int64_t{0}),
        .moved_in_bytes = prediction.moved_in_bytes,
        .moved_out_bytes = prediction.moved_out_bytes,
        .streaming_kernels = static_cast<int64_t>(plan->streams.size()),
        .price_usd = MemoryPriceUsd(system_, peaks).value_or(-1)};
    for (const Move& move : plan->moves) {
      if (move.is_drop) continue;
      ++(move.to.tier == kFastTier ? point.moves_in : point.moves_out);
    }
    return point;
  }

  // Where a plan for more memory came out slower, the plan for less serves.
  void KeepDescending() {
    const EstimatePoint* before = nullptr;
    for (auto& [limit_bytes, point] : points_) {
      if (before != nullptr && before->step_time_ns < point.step_time_ns &&
          before->streaming_kernels <= point.streaming_kernels) {
        const int64_t bound_ns = point.bound_ns;
        point = *before;
        point.limit_bytes = limit_bytes;
        point.bound_ns = bound_ns;
        AddPriceOf(limit_bytes - before->limit_bytes, &point);
      }
      before = &point;
    }
  }

  void AddPriceOf(int64_t fast_bytes, EstimatePoint* point) const {
    std::vector<int64_t> peaks(system_.tiers.size(), 0);
    peaks[kFastTier] = fast_bytes;
    const std::optional<double> usd = MemoryPriceUsd(system_, peaks);
    if (point->price_usd >= 0 && usd.has_value()) point->price_usd += *usd;
  }

  const Graph& graph_;
  const MemorySystem& system_;
  const PlanUnderLimit plan_;
  const EstimateOptions& options_;
  absl::Duration think_time_;
  std::map<int64_t, EstimatePoint> points_;
};

int64_t Aligned(int64_t bytes) {
  return (bytes + kPlacementAlignmentBytes - 1) / kPlacementAlignmentBytes *
         kPlacementAlignmentBytes;
}

std::vector<int64_t> EvenLimits(int64_t least_bytes, int64_t most_bytes,
                                int count) {
  std::vector<int64_t> limits_bytes;
  limits_bytes.reserve(count);
  for (int i = 0; i < count; ++i) {
    limits_bytes.push_back(
        Aligned(least_bytes + (most_bytes - least_bytes) / (count - 1) * i));
  }
  limits_bytes.back() = most_bytes;
  return limits_bytes;
}

// Looks for the least limit that reaches a speed, between those of the curve.
absl::StatusOr<SpeedGoal> Reach(double speed, const JobEstimate& job,
                                Curve* curve) {
  const double most_ns =
      static_cast<double>(job.all_fast_ns) * (1 + kAllFastError) / speed;
  for (int i = 0;; ++i) {
    int64_t enough_bytes = 0;
    int64_t too_few_bytes = 0;
    for (const auto& [limit_bytes, point] : curve->points()) {
      if (point.streaming_kernels == 0 &&
          static_cast<double>(point.step_time_ns) <= most_ns) {
        enough_bytes = limit_bytes;
        break;
      }
      too_few_bytes = limit_bytes;
    }
    const bool is_near = too_few_bytes == 0 || enough_bytes - too_few_bytes <=
                                                   job.peak_bytes / kNearShare;
    if (enough_bytes == 0 || is_near || i == kPlansPerGoal) {
      return SpeedGoal{speed, enough_bytes};
    }
    absl::Status added = curve->Add(
        {Aligned(too_few_bytes + (enough_bytes - too_few_bytes) / 2)});
    if (!added.ok()) return added;
  }
}

// Returns the largest limit of interest: with it, all that the job has is fast,
// or all that the tier has is used.
int64_t MostBytes(const Graph& graph, const MemorySystem& system,
                  int64_t least_bytes) {
  const int64_t capacity_bytes = system.tiers[kFastTier].capacity_bytes;
  const int64_t peak_bytes =
      Aligned(std::max(ComputeLiveness(graph).peak_bytes, least_bytes));
  return capacity_bytes == 0 ? peak_bytes
                             : std::min(peak_bytes, capacity_bytes);
}

}  // namespace

absl::StatusOr<JobEstimate> EstimateJob(const Graph& graph,
                                        const MemorySystem& system,
                                        PlanUnderLimit plan,
                                        const EstimateOptions& options) {
  const LeastLimit least = FindLeastLimit(graph, system);
  JobEstimate job = {.peak_bytes = ComputeLiveness(graph).peak_bytes,
                     .all_fast_ns = AllFastNs(graph, system),
                     .least_kernel = graph.kernels[least.kernel].name};
  Curve curve(graph, system, plan, options);
  const int64_t most_bytes = MostBytes(graph, system, least.bytes);
  if (absl::Status fits = MakeWorkload(graph, system, most_bytes).status();
      !fits.ok()) {
    return fits;
  }
  absl::Status added =
      curve.Add(EvenLimits(least.bytes, most_bytes, options.points));
  if (!added.ok()) return added;
  if (curve.points().empty()) {
    return absl::FailedPreconditionError(
        "no limit has a plan; another policy may find one");
  }
  for (const double speed : options.speeds) {
    const absl::StatusOr<SpeedGoal> goal = Reach(speed, job, &curve);
    if (!goal.ok()) return goal.status();
    job.goals.push_back(*goal);
  }
  for (const auto& [limit_bytes, point] : curve.points()) {
    job.points.push_back(point);
  }
  job.least_limit_bytes = job.points.front().limit_bytes;
  job.knee_bytes = KneeBytes(job.points);
  return job;
}

}  // namespace stowage::policies
