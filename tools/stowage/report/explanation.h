// Says where the time of a job's steps went, beside what was predicted.
//
//   absl::StatusOr<JobReport> job = ReadReport(text);
//   for (const Explanation& explanation : Explain(job->steps)) {
//     std::cout << ExplanationToText(explanation);
//   }
//   std::cout << LateKernelsToText(job->kernels);
//
// Steps of one kind, mode and phase are explained by one of them, the one with the
// median duration, so that its parts add up.
#ifndef STOWAGE_TOOLS_STOWAGE_REPORT_EXPLANATION_H_
#define STOWAGE_TOOLS_STOWAGE_REPORT_EXPLANATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "tools/stowage/report/processor_use.h"
#include "tools/stowage/report/report.h"

namespace stowage::cli {

// A part of a step's time.
struct TimePart {
  std::string name;
  int64_t measured_ns = 0;
  std::optional<int64_t> predicted_ns;  // none: the model of time has no such
  std::string cause;                    // why it may take longer than predicted
};

struct Explanation {
  Step step;                    // the one with the median duration
  int64_t step_count = 0;       // of this kind, mode and phase
  std::vector<TimePart> parts;  // they add up to the step's duration
  // Of all of these steps; none in older reports.
  std::optional<ProcessorUse> use;
};

// Reads the steps and kernels of the first job of a report that `stowage run`
// wrote.
// INVALID_ARGUMENT names the field that is missing or malformed.
// FAILED_PRECONDITION: the job has had no steps.
absl::StatusOr<JobReport> ReadReport(const std::string& report);

// Explains each kind, mode and phase. Planned steps come first, then those of which
// there are most.
std::vector<Explanation> Explain(const std::vector<Step>& steps);

// Returns a headline, a table, of planned steps which part accounts for most of
// the difference, and what processors did.
std::string ExplanationToText(const Explanation& explanation);
nlohmann::json ExplanationToJson(const Explanation& explanation);

// Returns how much later than planned the kernel let the step go on: its own
// duration, and what was waited for.
int64_t LateNs(const KernelTimes& kernel);
// Returns a table of the kernels that were latest, and what they account for.
// Empty if no plan drove a step to its end.
std::string LateKernelsToText(const std::vector<KernelTimes>& kernels);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_REPORT_EXPLANATION_H_
