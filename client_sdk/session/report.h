// Declares what is reported of a job: its steps, events and kernels, and the
// forecast of its steps.
//
//   const uint64_t n = report->steps.written.load(std::memory_order_acquire);
//   const session::StepRecord& last =
//       report->steps.entries[(n - 1) % session::kStepEntries];
//
// The rules of session.h hold.
#ifndef STOWAGE_CLIENT_SDK_SESSION_REPORT_H_
#define STOWAGE_CLIENT_SDK_SESSION_REPORT_H_

#include <atomic>
#include <cstdint>

#include "client_sdk/session/plan_area.h"

namespace stowage::session {

enum StepMode : uint32_t { kStepDemand = 1, kStepProfile = 2, kStepPlan = 3 };

// Why a step was not driven by the plan that there is for it, where no surprise
// is the reason.
enum PlanSkip : uint32_t {
  kPlanNotSkipped = 0,
  kDemandFaster = 1,  // demand mode was measured to be faster
  kDemandTrial = 2,   // so that demand mode is measured
};

// Where the time of a step went, in nanoseconds. The rest of its duration
// passed at kernel boundaries, in the runtime itself.
struct StepTimes {
  int64_t kernels_ns;    // kernels ran
  int64_t gaps_ns;       // none did: the framework and the script
  int64_t stall_in_ns;   // a move to fast memory was waited for or made
  int64_t stall_out_ns;  // one out of it was
  int64_t faults_ns;     // kernels that stream waited, by their slowest threads
  int64_t emulated_ns;   // kernels were held up as an emulated medium would
  int64_t plan_wait_ns;  // the step had ended and a plan was waited for
};

// Of the name of a phase, with its NUL.
inline constexpr int kPhaseBytes = 32;

struct StepRecord {
  int64_t index;
  uint32_t mode;
  uint32_t fallbacks;
  uint64_t signature;
  int64_t kernel_count;
  int64_t duration_ns;
  PredictedTimes predicted;  // 0 when no plan drove the step
  int64_t stall_ns;          // no kernel ran because a move was waited for
  int64_t fast_peak_bytes;
  int64_t moved_in_bytes;
  int64_t moved_out_bytes;
  // Hints that came due: moves begun or tensors placed because of one, and
  // those that were late or could not be followed.
  int64_t hints_taken;
  int64_t hints_ignored;
  uint32_t plan_skip;  // PlanSkip
  uint32_t reserved;
  // Where the plan was skipped: the median of steps that it drove.
  int64_t plan_median_ns;
  int64_t limit_bytes;  // at its end; 0: there was none
  StepTimes times;
  LaneTimes beside;      // of `times.kernels_ns`, copies ran at the same time
  int64_t processor_ns;  // time that the process's threads had processors for
  int64_t page_faults;   // of the process, minor and major ones
  int64_t system_ns;     // of `processor_ns`, in Linux
  // What the runtime's calls took that change page tables, summed over threads.
  int64_t mapping_ns;
  // Processor time that the agent spent for the job meanwhile; 0 without one.
  int64_t agent_processor_ns;
  char phase[kPhaseBytes];  // that the script named; empty: none
};

// An event that ended plan mode or that the user must know.
struct EventRecord {
  int64_t step;
  int32_t kernel;  // -1: none
  uint32_t reserved;
  char reason[64];  // a short constant name: "agent-lost"
  char detail[192];
};

inline constexpr uint64_t kStepEntries = 1u << 16;
inline constexpr uint64_t kEventEntries = 1u << 10;

// Entry n (from 0) is in entries[n % capacity], so that the last ones remain.
struct StepLog {
  alignas(64) std::atomic<uint64_t> written;
  StepRecord entries[kStepEntries];
};

struct EventLog {
  alignas(64) std::atomic<uint64_t> written;
  EventRecord entries[kEventEntries];
};

// How long a kernel took in a step that a plan drove.
struct KernelTimes {
  char name[64];
  int64_t duration_ns;  // as in KernelRecord
  LaneTimes beside;     // as there
  int64_t planned_ns;   // as in PlanKernel
  int64_t stall_ns;     // moves were waited for, before it and within it
  int64_t faults_ns;    // its slowest thread waited for what streams
};

// The kernels of the last step that a plan drove to its end, in order.
struct KernelLog {
  alignas(64) std::atomic<uint64_t> written;
  KernelTimes entries[kMaxKernels];
};

enum ForecastKind : uint32_t { kForecastPlan = 1, kForecastNoPlan = 2 };

// Says how long the job's steps are expected to take. The agent writes it once,
// when it has the answer to the job's first profile.
struct Forecast {
  std::atomic<uint32_t> kind;  // ForecastKind; 0: nothing stands here yet
  // The kernel that needs more than the limit, by its number in the profile;
  // -1: none.
  int32_t kernel;
  int64_t alone_step_ns;  // kernels of the profile and the gaps between them
  // What the plan predicts; without a plan, what the profiled step took. 0: not
  // known.
  int64_t step_ns;
  // The least limit with which there would be a plan. 0: there is a plan, or
  // the limit is not why there is none.
  int64_t least_limit_bytes;
  char line[320];  // the whole forecast, for people
};

// The part that outlives the session. When the job ends, the side that is left
// writes it, packed, to "<report directory>/<run id>-<pid>.session".
struct Report {
  uint64_t magic;                    // agent
  uint32_t version;                  // agent
  int32_t pid;                       // agent
  char job_id[128];                  // agent
  char command[256];                 // agent
  char policy[64];                   // agent
  char slow[256];                    // agent: the slow tier as it was asked for
  Forecast forecast;                 // agent
  std::atomic<int64_t> limit_bytes;  // process; 0: unlimited or not yet known
  std::atomic<int64_t> tensor_peak_bytes;  // process
  std::atomic<int64_t> least_limit_bytes;  // process; 0: not known
  StepLog steps;                           // process
  EventLog process_events;                 // process
  EventLog agent_events;                   // agent
  KernelLog kernels;                       // process
};

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_REPORT_H_
