#include "agents/sharing/step_curve.h"

#include <algorithm>
#include <cstddef>

namespace stowage::agent {
namespace {

// Without a plan a job trains on demand.
constexpr int64_t kDemandSlowdown = 4;

double NsPerByte(const CurvePoint& from, const CurvePoint& to) {
  return static_cast<double>(from.step_ns - to.step_ns) /
         static_cast<double>(to.limit_bytes - from.limit_bytes);
}

CurvePoint PointAt(const StepCurve& curve, int64_t limit_bytes) {
  return {limit_bytes, StepNsAt(curve, limit_bytes)};
}

}  // namespace

int64_t StepNsAt(const StepCurve& curve, int64_t limit_bytes) {
  if (curve.empty()) return 0;
  const CurvePoint& first = curve.front();
  if (limit_bytes < first.limit_bytes) return kDemandSlowdown * first.step_ns;
  const auto above = std::find_if(
      curve.begin(), curve.end(),
      [=](const CurvePoint& p) { return p.limit_bytes >= limit_bytes; });
  if (above == curve.end()) return curve.back().step_ns;
  if (above->limit_bytes == limit_bytes) return above->step_ns;
  const CurvePoint& below = *(above - 1);
  const double gained_ns = NsPerByte(below, *above) *
                           static_cast<double>(limit_bytes - below.limit_bytes);
  return below.step_ns - static_cast<int64_t>(gained_ns);
}

std::vector<Gain> GainsOf(const StepCurve& curve, int64_t least_bytes,
                          int64_t most_bytes) {
  if (curve.empty() || most_bytes <= least_bytes) return {};
  StepCurve part = {PointAt(curve, least_bytes)};
  for (const CurvePoint& point : curve) {
    if (point.limit_bytes > least_bytes && point.limit_bytes < most_bytes) {
      part.push_back(point);
    }
  }
  part.push_back(PointAt(curve, most_bytes));
  StepCurve hull;
  for (const CurvePoint& point : part) {
    while (hull.size() > 1 && NsPerByte(hull[hull.size() - 2], hull.back()) <=
                                  NsPerByte(hull.back(), point)) {
      hull.pop_back();
    }
    hull.push_back(point);
  }
  std::vector<Gain> gains;
  for (size_t i = 1; i < hull.size(); ++i) {
    gains.push_back({hull[i].limit_bytes - hull[i - 1].limit_bytes,
                     NsPerByte(hull[i - 1], hull[i])});
  }
  return gains;
}

}  // namespace stowage::agent
