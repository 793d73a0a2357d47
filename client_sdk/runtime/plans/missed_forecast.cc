#include "client_sdk/runtime/plans/missed_forecast.h"

#include <stdio.h>

namespace stowage::runtime {
namespace {

constexpr double kMissed = 1.3;

bool Missed(const StepFactors& factors) {
  return factors.told > 0 && factors.measured >= kMissed * factors.told;
}

}  // namespace

std::optional<std::string> MissedForecast(const StepFactors& factors) {
  if (!Missed(factors)) return std::nullopt;
  char line[160];
  snprintf(line, sizeof(line),
           "steps take at least %.3gx the time of training alone, and %.3gx "
           "was expected; stowage explain REPORT says why",
           factors.measured, factors.told);
  return line;
}

std::optional<std::string> MissedUnplanned(const StepFactors& factors) {
  if (!Missed(factors)) return std::nullopt;
  char line[160];
  snprintf(line, sizeof(line),
           "most steps have no plan, since their sizes are new each time; they "
           "take about %.3gx the time of training alone, and %.3gx was "
           "expected",
           factors.measured, factors.told);
  return line;
}

}  // namespace stowage::runtime
