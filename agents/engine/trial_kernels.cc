#include "agents/engine/trial_kernels.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "client_sdk/session/clock.h"

namespace stowage::agent {
namespace {

constexpr int64_t kElements = (32 << 20) / sizeof(double);
constexpr int kRounds = 4'000'000;

// Returns a number that depends on all of the work, so that no compiler leaves
// it out.
double Compute(int rounds) {
  std::array<double, 8> values;
  values.fill(1);
  for (int i = 0; i < rounds; ++i) {
    for (double& value : values) value = value * 0.999'999 + 1e-6;
  }
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

}  // namespace

TrialKernels::TrialKernels(int threads)
    : threads_(threads), from_(kElements, 1), to_(kElements, 2) {}

int64_t TrialKernels::ComputeNs() {
  static std::atomic<double> result;
  return MeasureNs([](int) { result = Compute(kRounds); });
}

int64_t TrialKernels::MemoryNs() {
  return MeasureNs([this](int thread) {
    const int64_t begin = kElements * thread / threads_;
    const int64_t end = kElements * (thread + 1) / threads_;
    for (int64_t i = begin; i < end; ++i) to_[i] = 0.5 * from_[i] + to_[i];
  });
}

int64_t TrialKernels::MeasureNs(const std::function<void(int)>& work) const {
  const int64_t begin_ns = session::NowNs();
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads_; ++i) others.emplace_back(work, i);
    work(0);
  }
  return std::max<int64_t>(1, session::NowNs() - begin_ns);
}

}  // namespace stowage::agent
