// Declares what a training process and the node agent share: plain structs in a
// sealed memfd (the session segment), and the messages that set it up.
//
//   process                                   agent
//   connects, sends Hello                ->   checks it, makes segment, arenas
//   receives Welcome and descriptors     <-   of the segment, then of each tier
//   (sends these along if it comes back: then the welcome has none)
//   writes profile, steps, move requests ->   copies, bounds-checks, then uses
//   reads plans, completed moves         <-   writes plans, executes moves
//   off its plan: states its situation   ->   asks the placement service
//   follows hints where it safely can    <-   writes hints for kernels ahead
//   (socket stays open: its hang-up says that the other side is gone)
//
// Rules. Each field has one writer, which is named beside it. Counters only
// grow: the writer stores a counter with release after what it counts, and the
// reader loads it with acquire. The agent trusts nothing that the process
// wrote: it copies a record, checks the copy and uses the copy. There are no
// pointers, no padding that matters, and lock-free atomics alone.
#ifndef STOWAGE_CLIENT_SDK_SESSION_SESSION_H_
#define STOWAGE_CLIENT_SDK_SESSION_SESSION_H_

#include <atomic>
#include <cstdint>

#include "client_sdk/session/limit_order.h"

namespace stowage::session {

inline constexpr uint64_t kMagic = 0x31656761776f7473;  // "stowage1"
inline constexpr uint32_t kVersion = 12;

inline constexpr int kMaxTiers = 4;
inline constexpr int kFastTier = 0;
// Of the segment, the tiers and the checksums.
inline constexpr int kMostDescriptors = kMaxTiers + 2;
inline constexpr int64_t kPageBytes = 4096;

// ---- Set-up messages (SOCK_SEQPACKET) ----

// Strings end with a NUL within their array.
struct Hello {
  uint64_t magic;
  uint32_t version;
  int32_t reserved;   // ignored: the socket tells whose process it is
  char run_id[64];    // names the report; may be empty
  char command[256];  // for people
  char fast[64];    // "900MiB", "40%", "unlimited"; empty: the agent's default
  char slow[256];   // "file:/mnt/nvme", ...; empty: the agent's default
  char policy[64];  // empty: the agent's default
  char floor[64];   // "200MiB": what it is sure of; empty: the agent's rule
  int64_t wants_hints;  // 0 or 1
  int64_t wants_sums;   // 0 or 1: check what comes back from a file
  // 1: the job had another agent and keeps its segment and arenas, whose
  // descriptors come with the message, in the order of those that a welcome has.
  int64_t comes_back;
  char job_id[128];  // if it comes back: from its first welcome
  LimitOrder limit;  // if it comes back: in place of `fast`
};

enum TierFlags : uint32_t {
  // Kernels may use the tier in place: map the descriptor.
  kTierAddressable = 1u << 0,
  // Read and write the descriptor with page-aligned direct I/O.
  kTierFile = 1u << 1,
};

struct TierInfo {
  char name[64];
  uint32_t flags;
  uint32_t reserved;
  int64_t capacity_bytes;  // size of the arena
  // Emulated media: kernels that touch the tier take this much longer, and
  // copies take at least this long. 0 for real media.
  int64_t kernel_read_ps_per_byte;
  int64_t kernel_write_ps_per_byte;
  int64_t copy_from_ps_per_byte;  // tier -> fast
  int64_t copy_to_ps_per_byte;    // fast -> tier
};

struct Welcome {
  uint64_t magic;
  uint32_t version;
  int32_t accepted;  // 0: refused, `error` says why and what to do
  char error[512];
  char job_id[128];
  int64_t segment_bytes;
  LimitOrder limit;  // on fast tensor bytes
  uint32_t tier_count;
  uint32_t has_sums;  // 1: the last descriptor is that of page_sums.h
  TierInfo tiers[kMaxTiers];
};

// ---- Moves: two lanes, each with one producer and one consumer ----

enum Lane : int { kLaneOut = 0, kLaneIn = 1, kLaneCount = 2 };
inline constexpr uint64_t kLaneEntries = 4096;

enum MoveStatus : int32_t {
  kMovePending = 0,
  kMoveDone = 1,
  kMoveFailed = 2,  // the source is still whole
};

// Copies `size_bytes` (a multiple of kPageBytes). The process owns source and
// destination room until the move is completed, and changes neither.
struct MoveRequest {
  int32_t from_tier;            // process
  int32_t to_tier;              // process
  int64_t from_offset_bytes;    // process
  int64_t to_offset_bytes;      // process
  int64_t size_bytes;           // process
  std::atomic<int32_t> status;  // agent; process resets it before issuing
  int32_t error_number;         // agent: errno of a failed move
  int64_t begin_ns;             // agent, CLOCK_MONOTONIC
  int64_t end_ns;               // agent
};

// For how long each lane copied.
struct LaneTimes {
  int64_t out_ns;
  int64_t in_ns;
};

// Request n (from 0) is in entries[n % kLaneEntries]. Requests complete in
// order, and at most kLaneEntries are under way.
struct MoveLane {
  alignas(64) std::atomic<uint64_t> issued;  // process
  std::atomic<uint32_t> issue_bell;    // process; futex the agent waits on
  std::atomic<uint32_t> agent_sleeps;  // agent
  alignas(64) std::atomic<uint64_t> completed;  // agent
  std::atomic<uint32_t> done_bell;       // agent; futex the process waits on
  std::atomic<uint32_t> process_sleeps;  // process
  // Agent: for how long it has copied, and since when it copies now, as
  // CLOCK_MONOTONIC says; 0: it does not. See lane_time.h.
  std::atomic<int64_t> copied_ns;
  std::atomic<int64_t> copying_since_ns;
  MoveRequest entries[kLaneEntries];
};

// ---- Profile of one step (process -> agent) ----

inline constexpr uint32_t kMaxKernels = 1u << 17;
inline constexpr uint32_t kMaxOperands = 1u << 20;
inline constexpr uint32_t kMaxBlocks = 1u << 18;
inline constexpr uint32_t kMaxNameBytes = 1u << 20;

// A kernel that touches or allocates at least one managed tensor. Smaller
// operators between two kernels are part of the second one's gap.
struct KernelRecord {
  uint64_t key;  // hash of the operator's name; what a plan is matched by
  uint32_t name_offset;  // into ProfileArea::names, NUL-terminated
  uint32_t first_operand;
  uint32_t operand_count;
  uint32_t slow_operands;  // were used in place in a slow tier or streamed
  int64_t gap_ns;
  // Without time spent moving or streaming tensors or emulating a medium.
  int64_t duration_ns;
  int64_t flops;  // 0: unknown
  // Sizes of the operands that streamed, by how they were used: those that were
  // read, and those that were written. Its threads waited so long for them.
  int64_t streamed_bytes;
  int64_t stream_ns;
  LaneTimes beside;  // of its duration
};

enum OperandFlags : uint32_t { kOperandRead = 1, kOperandWrite = 2 };

struct OperandRecord {
  uint32_t block;  // index into ProfileArea::blocks
  uint32_t flags;
  uint32_t access_count;
  uint32_t reserved;
};

enum BlockFlags : uint32_t {
  kBlockParameter = 1u << 0,  // a leaf that requires gradients
  kBlockRaw = 1u << 1,        // has no storage: library scratch, cannot move
  kBlockPinned = 1u << 2,     // its address is known outside
  kBlockBackward = 1u << 3,   // allocated while gradients were computed
};

// A managed allocation that was alive during the profiled step.
//
// If it was alive when the step began, birth_kernel is -1 and
// `previous_birth_*` say where in the step before it was born; they are -1 if
// it was born earlier or in another kind of step, and it is persistent then
// unless it is freed. If it was alive when the step ended, death_kernel is -1.
struct BlockRecord {
  uint64_t id;  // unique in the process
  int64_t size_bytes;
  int32_t birth_kernel;
  int32_t birth_ordinal;  // among the kernel's managed allocations
  int32_t death_kernel;   // freed after this kernel ended, before the next one
  int32_t previous_birth_kernel;
  int32_t previous_birth_ordinal;
  uint32_t flags;
};

struct ProfileArea {
  uint64_t signature;
  int64_t step_index;
  int64_t duration_ns;
  int64_t tensor_peak_bytes;     // all tensor bytes alive at once
  int64_t unmanaged_peak_bytes;  // of storages below the managed size
  uint32_t kernel_count;
  uint32_t operand_count;
  uint32_t block_count;
  uint32_t name_bytes;
  KernelRecord kernels[kMaxKernels];
  OperandRecord operands[kMaxOperands];
  BlockRecord blocks[kMaxBlocks];
  char names[kMaxNameBytes];
};

// ---- Plan table (agent -> process) ----

inline constexpr uint32_t kMaxMoves = 1u << 18;

// What the simulator predicts of a step: its duration, and parts of that.
struct PredictedTimes {
  int64_t step_ns;
  int64_t gaps_ns;      // between kernels
  int64_t stall_ns;     // waiting for moves
  int64_t stream_ns;    // waiting for what streams
  int64_t slowdown_ns;  // kernels are longer beside copies
};

struct PlanKernel {
  uint64_t key;
  uint32_t first_allocation;
  uint32_t allocation_count;
  int64_t duration_ns;  // that the plan counts on, without copies beside it
};

// By (kernel, ordinal).
struct PlanAllocation {
  int32_t tensor;
  int32_t tier;
  int64_t offset_bytes;
  int64_t size_bytes;

  bool operator==(const PlanAllocation&) const = default;
};

// A tensor that is alive when the step begins. `block_id` names a persistent
// one by its block in the profiled step; another one is named by where it was
// born in the step before.
struct PlanInitial {
  int32_t tensor;
  int32_t tier;
  int64_t offset_bytes;
  int64_t size_bytes;
  uint64_t block_id;
  int32_t birth_kernel;
  int32_t birth_ordinal;
};

// `keeps_source` and `is_drop` of proto/stowage/v1/plan.proto. A move has at
// most one of them.
enum PlanMoveFlags : uint32_t { kMoveKeepsSource = 1, kMoveIsDrop = 2 };

// By start kernel; boundaries as in proto/stowage/v1/plan.proto.
struct PlanMove {
  int32_t tensor;
  int32_t from_tier;
  int32_t to_tier;
  int32_t start_kernel;
  int32_t deadline_kernel;
  uint32_t flags;  // PlanMoveFlags
  int64_t from_offset_bytes;
  int64_t to_offset_bytes;
  int64_t size_bytes;

  bool operator==(const PlanMove&) const = default;
};

// By kernel; all streams of a kernel name its window.
struct PlanStream {
  int32_t kernel;
  int32_t tensor;
  int64_t window_offset_bytes;  // in the fast tier
  int64_t window_bytes;         // 0: it has none
};

struct PlanArea {
  uint64_t signature;  // of the profiled step
  char policy[64];
  PredictedTimes predicted;
  int64_t fast_limit_bytes;
  uint32_t tensor_count;
  uint32_t kernel_count;
  uint32_t initial_count;
  uint32_t allocation_count;
  uint32_t move_count;
  uint32_t stream_count;
  PlanKernel kernels[kMaxKernels];
  PlanInitial initial[kMaxBlocks];
  PlanAllocation allocations[kMaxBlocks];
  PlanMove moves[kMaxMoves];
  PlanStream streams[kMaxBlocks];
};

// ---- Placement hints, for a step that is off its plan ----

// How many kernels the hints of one answer reach ahead.
inline constexpr int32_t kHintWindow = 64;
inline constexpr uint32_t kMaxHints = 1u << 14;

struct Resident {
  int32_t tensor;  // as in the plan
  int32_t tier;
};

// The situation before a kernel of a step whose plan is known but does not
// drive it.
struct SituationArea {
  uint64_t plan;  // number of the plan that names kernels and tensors
  int32_t kernel;
  uint32_t resident_count;
  int64_t free_bytes[kMaxTiers];
  Resident residents[kMaxBlocks];
};

// The tensor should be in the tier from that kernel on.
struct Hint {
  int32_t kernel;
  int32_t tensor;
  int32_t tier;
  int32_t reserved;
};

struct HintArea {
  uint32_t hint_count;  // 0: there is no advice
  uint32_t reserved;
  Hint hints[kMaxHints];  // by kernel
};

// ---- What is reported ----

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
  int64_t faults_ns;    // kernels that stream waited, by their threads' average
  int64_t emulated_ns;  // kernels were held up as an emulated medium would
  int64_t plan_wait_ns;  // the step had ended and a plan was waited for
};

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
  int64_t faults_ns;    // its threads waited for what streams, on average
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

struct Segment {
  uint64_t magic;    // agent
  uint32_t version;  // agent
  uint32_t reserved;
  std::atomic<uint64_t> profiles_written;  // process
  std::atomic<uint64_t> profiles_taken;    // agent; equal: the area is free
  std::atomic<uint64_t>
      plans_written;                  // agent; plan n (from 1) in plans[n % 2]
  std::atomic<uint64_t> plans_taken;  // process; the agent writes n only
                                      // when n - 1 has been taken
  LimitArea limits;
  // Agent: the processor time that it has spent for the job.
  std::atomic<int64_t> agent_processor_ns;
  // Agent: profiles for which no plan will come (the event log says why).
  std::atomic<uint64_t> profiles_refused;
  std::atomic<uint32_t> plan_bell;       // agent; futex the process may wait on
  std::atomic<uint32_t> situation_bell;  // process; futex the agent waits on
  std::atomic<uint64_t> situations_stated;  // process; one is under way at most
  // Agent; equal: `situation` and `hints` are the process's, else the agent's.
  std::atomic<uint64_t> situations_answered;
  MoveLane lanes[kLaneCount];
  Report report;
  ProfileArea profile;
  PlanArea plans[2];
  SituationArea situation;  // process
  HintArea hints;           // agent
};

static_assert(std::atomic<uint64_t>::is_always_lock_free);
static_assert(std::atomic<uint32_t>::is_always_lock_free);

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_SESSION_H_
