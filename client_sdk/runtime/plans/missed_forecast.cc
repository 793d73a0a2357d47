#include "client_sdk/runtime/plans/missed_forecast.h"

#include <stdio.h>

namespace stowage::runtime {
namespace {

constexpr double kMissed = 1.3;

}  // namespace

std::optional<std::string> MissedForecast(const StepFactors& factors) {
  if (factors.told <= 0 || factors.measured < kMissed * factors.told) {
    return std::nullopt;
  }
  char line[160];
  snprintf(line, sizeof(line),
           "steps take at least %.3gx the time of training alone, and %.3gx "
           "was expected; stowage explain REPORT says why",
           factors.measured, factors.told);
  return line;
}

}  // namespace stowage::runtime
