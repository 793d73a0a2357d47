// Says that steps take much longer than people were told.
//
//   const StepFactors factors = {.told = 1.37, .measured = 2.03};
//   if (auto line = MissedForecast(factors)) fputs(line->c_str(), stderr);
//   // steps take at least 2.03x the time of training alone, and 1.37x was ...
//
// Pure.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLANS_MISSED_FORECAST_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLANS_MISSED_FORECAST_H_

#include <optional>
#include <string>

namespace stowage::runtime {

// How many times as long as alone steps take; 0: not known.
struct StepFactors {
  double told = 0;
  double measured = 0;
};

// Returns the line for people; nullopt while what they were told holds, which
// it does up to 1.3 times of it: machines vary.
std::optional<std::string> MissedForecast(const StepFactors& factors);
// The same for a job most of whose steps have no plan (unplanned_steps.h).
std::optional<std::string> MissedUnplanned(const StepFactors& factors);

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLANS_MISSED_FORECAST_H_
