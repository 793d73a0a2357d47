// Says what a run did, with a JobReport for each process that trained through
// Stowage.
//
//   RunReport report = MakeRunReport(jobs, "python3 train.py", exit_status);
//   std::string text = ReportToJson(report).dump(2);
//
// Plain data, freely copied.
#ifndef STOWAGE_TOOLS_STOWAGE_REPORT_REPORT_H_
#define STOWAGE_TOOLS_STOWAGE_REPORT_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client_sdk/session/session.h"
#include "nlohmann/json.hpp"

namespace stowage::cli {

enum class StepMode { kDemand, kProfile, kPlan };

// Returns "demand", "profile" or "plan".
const char* ModeName(StepMode mode);

// Why a step was not driven by the plan that there is for it, where no surprise
// is the reason: demand mode was measured to be faster, or was being measured.
enum class PlanSkip { kNone, kDemandFaster, kDemandTrial };

// No number of a step is larger, and no time of a kernel: 13 days, 4.9 hours. So
// sums of these do not overflow. A torn or hostile report may have any.
inline constexpr int64_t kMostOfAStep = int64_t{1} << 50;
inline constexpr int64_t kMostKernelNs = int64_t{1} << 44;

// What a step cost beside its kernels, and is not in its times.
struct Overheads {
  int64_t system_ns = 0;           // of the step's `processor_ns`, in Linux
  int64_t mapping_ns = 0;          // of calls that change page tables
  int64_t agent_processor_ns = 0;  // of the agent, for the job

  bool operator==(const Overheads&) const = default;
};

struct Step {
  int64_t index = 0;
  StepMode mode = StepMode::kDemand;
  // Steps of one kind have the same kernels and sizes; kinds are numbered from
  // 0 as they appear.
  int32_t kind = 0;
  int64_t kernel_count = 0;
  int64_t duration_ns = 0;
  session::PredictedTimes predicted = {};  // 0 when no plan drove the step
  int64_t stall_ns = 0;
  int64_t fast_peak_bytes = 0;
  int64_t moved_in_bytes = 0;
  int64_t moved_out_bytes = 0;
  int64_t hints_taken = 0;
  int64_t hints_ignored = 0;
  PlanSkip plan_skip = PlanSkip::kNone;
  int64_t plan_median_ns = 0;  // of steps that the plan drove that is skipped
  int64_t limit_bytes = 0;     // at its end; 0: unlimited
  session::StepTimes times = {};
  session::LaneTimes beside = {};  // of its kernels: copies ran meanwhile
  int64_t processor_ns = 0;
  int64_t page_faults = 0;
  // Older reports do not have it.
  std::optional<Overheads> overheads;
  std::string phase;  // that the script named; empty: none

  // Returns what remains of the duration: Stowage itself, at kernel boundaries.
  int64_t BoundaryNs() const;
};

// An event that ended plan mode or that the user must know.
struct JobEvent {
  int64_t step = 0;
  int32_t kernel = -1;  // -1: none
  std::string reason;
  std::string detail;
};

// How long a kernel took in a step that a plan drove.
struct KernelTimes {
  std::string name;
  int64_t duration_ns = 0;
  session::LaneTimes beside = {};  // of these, copies ran at the same time
  int64_t planned_ns = 0;  // the plan counted on so much, without copies
  int64_t stall_ns = 0;    // moves were waited for, before it and within it
  int64_t faults_ns = 0;   // waited for what it streams
};

// How long steps were expected to take when the first profile was answered.
struct Forecast {
  bool planned = false;
  int32_t kernel = -1;            // that needs more than the limit; -1: none
  int64_t alone_step_ns = 0;      // kernels and gaps of the profiled step
  int64_t step_ns = 0;            // by the plan, or profiled; 0: not known
  int64_t least_limit_bytes = 0;  // with which there would be a plan; 0: none
  std::string line;               // as it was printed

  // Returns how many times as long as alone a step takes; 0: not known.
  double Slowdown() const {
    return alone_step_ns > 0 ? static_cast<double>(step_ns) / alone_step_ns : 0;
  }
};

struct JobReport {
  std::string job_id;
  int32_t pid = 0;
  std::string command;
  std::string policy;  // of the plan that drove it last
  std::string slow;
  int64_t limit_bytes = 0;  // in the end; 0: unlimited
  int64_t tensor_peak_bytes = 0;
  int64_t least_limit_bytes = 0;     // 0: not known
  std::optional<Forecast> forecast;  // of a job with a limit
  std::vector<Step> steps;
  std::vector<JobEvent> events;
  // Of the last step that a plan drove to its end, in order.
  std::vector<KernelTimes> kernels;
  // How many entries the bounded logs lost, or were not whole.
  int64_t dropped_steps = 0;
};

struct RunReport {
  std::string command;
  std::string requested_policy;  // empty: the default one
  int exit_status = 0;
  // A step time that no plan can beat, of the kind of step that was profiled
  // last; 0: not computed.
  int64_t lower_bound_ns = 0;
  std::vector<JobReport> jobs;  // the one with the most steps first
  // Whether a named agent leaves the reports where nobody has said to look.
  bool jobs_are_elsewhere = false;
};

// Returns the report of a run. Orders the jobs by their number of steps, most
// first, then by process id.
RunReport MakeRunReport(std::vector<JobReport> jobs, std::string command,
                        int exit_status);

// Returns a document with the first job at the top level, and all jobs under
// "jobs". `policy` and `limit_bytes` are there without a job, too.
nlohmann::json ReportToJson(const RunReport& report);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_REPORT_REPORT_H_
