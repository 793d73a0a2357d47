#include "agents/engine/copy_times.h"

#include <algorithm>
#include <cmath>

namespace stowage::agent {
namespace {

// Fewer copies, or shorter ones in all, say more about chance than about the
// medium.
constexpr int64_t kLeastCopies = 8;
constexpr double kLeastExpectedNs = 2e6;

constexpr double kDriftFactor = 1.1;
// A medium that stalled once is not as slow as this from then on.
constexpr double kMostFactor = 16;

// Linear between the points of the curve and constant beyond, as
// memory_system.proto says.
double BytesPerSecond(const v1::CopyCurve& curve, int64_t size_bytes) {
  const auto above = std::find_if(curve.points().begin(), curve.points().end(),
                                  [=](const v1::CopyPoint& point) {
                                    return point.buffer_bytes() >= size_bytes;
                                  });
  if (above == curve.points().end()) {
    return static_cast<double>(curve.points().rbegin()->bytes_per_second());
  }
  if (above == curve.points().begin()) {
    return static_cast<double>(above->bytes_per_second());
  }
  const v1::CopyPoint& below = *(above - 1);
  return std::lerp(
      static_cast<double>(below.bytes_per_second()),
      static_cast<double>(above->bytes_per_second()),
      static_cast<double>(size_bytes - below.buffer_bytes()) /
          static_cast<double>(above->buffer_bytes() - below.buffer_bytes()));
}

// Returns the curve of copies between two tiers; null if there is none.
const v1::CopyCurve* FindCurve(const v1::MemorySystem& system,
                               int32_t from_tier, int32_t to_tier) {
  for (const v1::CopyCurve& curve : system.copies()) {
    if (curve.from_tier() == from_tier && curve.to_tier() == to_tier &&
        !curve.points().empty()) {
      return &curve;
    }
  }
  return nullptr;
}

int64_t CopyNs(const v1::CopyCurve& curve, int64_t size_bytes) {
  const double copy_ns =
      1e9 * static_cast<double>(size_bytes) / BytesPerSecond(curve, size_bytes);
  return curve.setup_ns() + static_cast<int64_t>(copy_ns);
}

bool HasDrifted(double planned, double measured) {
  return std::max(planned, measured) >
         kDriftFactor * std::min(planned, measured);
}

}  // namespace

bool HaveDrifted(const CopyFactors& planned, const CopyFactors& measured) {
  return HasDrifted(planned.out, measured.out) ||
         HasDrifted(planned.in, measured.in);
}

int64_t ExpectedCopyNs(const v1::MemorySystem& system, int32_t from_tier,
                       int32_t to_tier, int64_t size_bytes) {
  const v1::CopyCurve* const curve = FindCurve(system, from_tier, to_tier);
  return curve == nullptr ? 0 : CopyNs(*curve, size_bytes);
}

v1::MemorySystem ScaleCopies(v1::MemorySystem system,
                             const CopyFactors& factors) {
  for (v1::CopyCurve& curve : *system.mutable_copies()) {
    double factor = 1;
    if (curve.from_tier() == 0) factor = factors.out;
    if (curve.to_tier() == 0) factor = factors.in;
    const auto scaled = [](int64_t value, double by) {
      return static_cast<int64_t>(std::llround(value * by));
    };
    curve.set_setup_ns(scaled(curve.setup_ns(), factor));
    for (v1::CopyPoint& point : *curve.mutable_points()) {
      point.set_bytes_per_second(
          std::max<int64_t>(1, scaled(point.bytes_per_second(), 1 / factor)));
    }
  }
  return system;
}

void CopyTimes::Note(const MoveOrder& order, int64_t duration_ns,
                     int64_t beside_ns) {
  const v1::CopyCurve* const curve =
      FindCurve(system_, order.from_tier, order.to_tier);
  if (curve == nullptr) return;
  const double share =
      curve->both_ways_share() > 0 ? curve->both_ways_share() : 1;
  const auto beside = static_cast<double>(
      std::clamp<int64_t>(beside_ns, 0, std::max<int64_t>(0, duration_ns)));
  absl::MutexLock lock(&mutex_);
  Sums& sums = order.to_tier == 0 ? in_ : out_;
  ++sums.copies;
  // What it would have taken alone.
  sums.measured_ns += static_cast<double>(duration_ns) - beside * (1 - share);
  sums.expected_ns += static_cast<double>(CopyNs(*curve, order.size_bytes));
}

CopyFactors CopyTimes::TakeFactors() {
  absl::MutexLock lock(&mutex_);
  Take(&out_, &factors_.out);
  Take(&in_, &factors_.in);
  return factors_;
}

void CopyTimes::Take(Sums* sums, double* factor) {
  if (sums->copies < kLeastCopies || sums->expected_ns < kLeastExpectedNs) {
    return;
  }
  *factor = std::clamp(sums->measured_ns / sums->expected_ns, 1 / kMostFactor,
                       kMostFactor);
  *sums = {};
}

}  // namespace stowage::agent
