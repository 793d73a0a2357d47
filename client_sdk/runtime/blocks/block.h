// A managed allocation of the process: one storage, or scratch of a library.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_BLOCK_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_BLOCK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "client_sdk/runtime/blocks/file_requests.h"
#include "client_sdk/runtime/blocks/written_parts.h"
#include "client_sdk/session/session.h"

namespace stowage::runtime {

// Where a block is: a byte offset in a tier's arena.
struct Place {
  int tier = session::kFastTier;
  int64_t offset_bytes = 0;
  bool operator==(const Place&) const = default;
};

inline int64_t RoundUpToPage(int64_t bytes) {
  return (bytes + session::kPageBytes - 1) / session::kPageBytes *
         session::kPageBytes;
}

// A copy that is under way, of a block to room that it is to have.
struct MoveUnderWay {
  Place to;
  session::Lane lane = session::kLaneOut;
  uint64_t ticket = 0;
  int64_t deadline_ns = 0;  // as session::MoveRequest has it
  // The process's own transfer; null: the agent copies.
  std::unique_ptr<FileRequest> request = nullptr;
  bool stays = false;  // the block does: only a copy of it is made
  // What the block leaves is to become `kept`, or `to` if it stays.
  bool keeps = false;
  // Somebody whom nobody saw wrote its source, in a file tier, meanwhile.
  bool outdated = false;
};

// Owned by the Job; guarded by its mutex.
struct Block {
  uint64_t id = 0;
  int64_t size_bytes = 0;
  Place place;

  // The framework's storage, once it has been seen; null for library scratch,
  // which cannot move. Owned through StorageAccess.
  void* storage = nullptr;
  bool pinned = false;           // its address is known outside
  int32_t views = 0;             // by so many arrays alone; 0: for good
  bool set_aside = false;        // and it is where no plan puts anything: see
                                 // pinned_room.h
  bool kept_fast = false;        // is to stay in fast memory: fast_keeper.h
  bool keep_refused = false;     // was to stay there, and did not fit
  bool above_plans = false;      // set aside at that end
  bool parameter = false;        // a leaf that requires gradients
  bool backward = false;         // allocated while gradients were computed
  int32_t users = 0;             // kernels that are running on it
  bool dead = false;             // freed while kernels were running on it
  bool streams = false;          // its addresses are closed: stray_pages.h
  int32_t read_first = 0;        // of its pieces: >0: what is read is written
  int64_t last_use = 0;          // count of kernels the job had run
  int64_t gap = 0;               // kernels between its last two visits
  bool regular = false;          // and about as many before: see use_distance.h
  int64_t expected_until = 0;    // see fetches_ahead.h
  Block* used_before = nullptr;  // its neighbours by last use: use_order.h
  Block* used_after = nullptr;

  WrittenParts written;  // all, unless it was born in a file tier

  std::optional<MoveUnderWay> move;

  // Room of the block's in a slower tier, with a copy of its bytes: see
  // placed_blocks.h.
  std::optional<Place> kept;
  // Of its bytes when that copy, or the one that is under way, was made: see
  // byte_sample.h.
  uint64_t sample = 0;

  // Where it was born: the step, and a tag that is the same in every step that
  // runs the same kernels (operator, size, how many of that kind before it).
  int64_t birth_step = -1;
  std::string_view made_by = {};  // the operator; outlives the process
  uint64_t birth_tag = 0;
  uint64_t birth_kind = 0;  // signature of that step, once it has ended
  uint64_t origin = 0;      // see block_origins.h; 0: none

  int32_t tensor = -1;         // index in the plan that drives the step
  int32_t profile_index = -1;  // index in the profile of the current step

  int64_t room_bytes() const { return RoundUpToPage(size_bytes); }
  bool moving() const { return move.has_value(); }
};

// One block that a kernel uses; a kernel lists each block once.
struct KernelOperand {
  Block* block;
  uint32_t flags;             // session::OperandFlags
  uint32_t access_count = 1;  // how often the kernel names it
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_BLOCK_H_
