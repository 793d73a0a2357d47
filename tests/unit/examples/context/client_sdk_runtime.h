// Declares the names that the examples of client_sdk/runtime use.
//
//   namespace stowage::runtime::examples { extern Block* block; }
//
// Nothing is defined: the examples are compiled and never run.
#ifndef STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_RUNTIME_H_
#define STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_RUNTIME_H_

#include <sys/mman.h>

#include "client_sdk/session/clock.h"

namespace stowage::runtime::examples::client_sdk_runtime {

extern SessionClient client;
extern session::Segment* segment;
extern StorageAccess storage_access;
extern JobSettings settings;
extern PlacedBlocks blocks;
extern Mover mover;
extern Evictor evictor;
extern FastSpace space;
extern PlanTensors tensors;
extern PlanStrangers strangers;
extern PlanDriver driver;
extern StepPublisher publisher;
extern HintTotals hints;
extern Job job;

extern RunningStep step;
extern RunningKernel kernel;
extern std::vector<KernelOperand> operands, outputs;
extern PlanTable plan;
extern Block* block;
extern Place place, room;
extern std::optional<Surprise> surprise;
extern uint64_t signature, key;
extern int64_t bytes, size, size_bytes, limit_bytes, tensor_bytes, kernel_bytes,
    needed_bytes, available_bytes, least_bytes, peak_bytes, arena_bytes,
    overhead_bytes, other_bytes, plan_begin_bytes, waited_ns, gap_ns,
    duration_ns, alone_ns;
extern int tier_count, n;
extern int32_t kernel_count, ordinal;
extern std::vector<MappedTier> tiers;
void Run(const RunningKernel& kernel);

namespace available_memory_h {
extern SessionClient* client;
extern session::Report* report;
}  // namespace available_memory_h
namespace byte_sample_h {
extern std::string bytes;
}
namespace demand_placer_h {
extern std::unique_ptr<Block> block;
}
namespace fast_limit_h {
extern AvailableMemory available;
extern SessionClient* client;
extern int64_t step;
void ResizeArena(int64_t bytes);
}  // namespace fast_limit_h
namespace fast_space_h {
extern int64_t step;
}
namespace fault_handler_h {
extern Job* job;
}
namespace fault_streams_h {
extern int64_t chunk, begin, end;
void WriteBehind(ChunkRange passed);
}  // namespace fault_streams_h
namespace fault_walks_h {
extern int thread;
extern int64_t offset_bytes;
extern Block* block;
void ReadAhead(int64_t offset_bytes);
}  // namespace fault_walks_h
namespace fault_waits_h {
extern int64_t wait_ns;
}
namespace file_requests_h {
extern int64_t offset_bytes;
extern char* to;
}  // namespace file_requests_h
namespace fork_guard_h {
extern Job* job;
extern SessionClient* client;
extern bool g_enabled;
}  // namespace fork_guard_h
namespace hint_follower_h {
extern DemandPlacer demand;
}
namespace hints_h {
extern int32_t kernel;
}
namespace mapping_time_h {
extern char* begin;
}
namespace move_lanes_h {
extern MoveLanes lanes;
extern Place from, to;
}  // namespace move_lanes_h
namespace pager_h {
extern Job* job;
}
namespace pinned_room_h {
extern int64_t step;
void StartPlan(const PlanTable& plan, int64_t begin_bytes);
}  // namespace pinned_room_h
namespace placed_blocks_h {
extern SessionClient* client;
}
namespace plan_driver_h {
extern int64_t step;
extern PlanTable other_plan;
extern int32_t boundary;
}  // namespace plan_driver_h
namespace plan_library_h {
extern std::optional<PlanTable> plan;
extern StepPosition position;
extern int64_t step;
void Start(const PlanTable& plan);
}  // namespace plan_library_h
namespace plan_moves_h {
extern int32_t kernel;
}
namespace plan_strangers_h {
extern PlanInStep plan;
extern int32_t kernel;
}  // namespace plan_strangers_h
namespace plan_table_h {
extern int32_t kernel;
}
namespace plan_tensors_h {
extern int64_t step;
extern const session::PlanAllocation* planned;
extern session::PlanMove move;
}  // namespace plan_tensors_h
namespace relayout_h {
extern std::vector<PlanTarget> targets;
}
namespace report_file_h {
extern std::string run_id;
}
namespace running_kernel_h {
extern void* input;
void Relu(void* input);
}  // namespace running_kernel_h
namespace running_step_h {
extern KernelOperand operand;
}
namespace block_name_h {
void Fail(const std::string& why);
}
namespace fast_keeper_h {
extern PinnedRoom pinned;
extern int64_t step;
void leave_step(Block* block);
}  // namespace fast_keeper_h
namespace planning_line_h {
bool Done();
void WaitForMilliseconds(int milliseconds);
}  // namespace planning_line_h
namespace rank_h {
void ShowProgress();
}
namespace step_line_h {
extern session::StepRecord record;
}
namespace step_log_h {
extern session::StepRecord record;
extern int32_t kind;
}  // namespace step_log_h
namespace long_wait_h {
bool Done();
void WaitForSeconds(int seconds);
}  // namespace long_wait_h
namespace agent_return_h {
extern int64_t now_ns;
bool ComeBack();
}  // namespace agent_return_h
namespace greeting_h {
extern std::string path;
extern session::Hello hello;
extern int timeout_ms;
void Map(const session::Welcome& welcome, const std::vector<int>& descriptors);
}  // namespace greeting_h
namespace session_client_h {
extern std::string socket_path;
extern session::Hello hello;
extern session::LimitOrder limit;
}  // namespace session_client_h
namespace step_profile_h {
extern StepProfile profile;
}
namespace stray_pages_h {
extern Userfault* userfault;
extern Block block;
extern char* page;
extern bool write;
}  // namespace stray_pages_h
namespace scattered_reads_h {
extern StreamPiece piece;
void UseSmallerPieces();
}  // namespace scattered_reads_h
namespace stream_window_h {
extern const char* address;
extern Access access;
}  // namespace stream_window_h
namespace transfer_slots_h {
bool Reap();
}
namespace told_addresses_h {
extern const void* address;
extern Block *block, *other;
}  // namespace told_addresses_h
namespace userfault_h {
extern char *address, *page;
extern const char* memory;
}  // namespace userfault_h
namespace victims_h {
extern Arena arena;
extern int64_t room_bytes, now;
bool movable(const Block& block);
void Evict(Block* block);
}  // namespace victims_h
namespace window_frames_h {
extern Block* block;
extern int64_t chunk;
}  // namespace window_frames_h
namespace written_parts_h {
extern int64_t begin_bytes, end_bytes;
void ReadFromFile();
}  // namespace written_parts_h

}  // namespace stowage::runtime::examples::client_sdk_runtime

#endif  // STOWAGE_TESTS_UNIT_EXAMPLES_CONTEXT_CLIENT_SDK_RUNTIME_H_
