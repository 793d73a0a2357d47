#include "policies/estimate/knee.h"

namespace stowage::policies {
namespace {

constexpr double kLeastRise = 0.01;
// Curves that are less bent have no knee.
constexpr double kLeastDepth = 0.05;

}  // namespace

int64_t KneeBytes(const std::vector<EstimatePoint>& points) {
  if (points.size() < 3) return 0;
  const EstimatePoint& first = points.front();
  const EstimatePoint& last = points.back();
  const auto width = static_cast<double>(last.limit_bytes - first.limit_bytes);
  const auto height =
      static_cast<double>(first.step_time_ns - last.step_time_ns);
  if (width <= 0 ||
      height < kLeastRise * static_cast<double>(last.step_time_ns)) {
    return 0;
  }
  int64_t knee_bytes = 0;
  double deepest = kLeastDepth;
  for (const EstimatePoint& point : points) {
    const double x =
        static_cast<double>(point.limit_bytes - first.limit_bytes) / width;
    const double y =
        static_cast<double>(point.step_time_ns - last.step_time_ns) / height;
    const double depth = 1 - x - y;
    if (point.streaming_kernels == 0 && depth > deepest) {
      deepest = depth;
      knee_bytes = point.limit_bytes;
    }
  }
  return knee_bytes;
}

}  // namespace stowage::policies
