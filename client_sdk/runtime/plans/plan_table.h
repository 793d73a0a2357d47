// The process's own copy of a plan, with the look-ups a step needs.
//
//   std::optional<PlanTable> plan =
//       PlanTable::Copy(segment->plans[n % 2], tier_count);
//   const session::PlanAllocation* a = plan->Allocation(kernel, ordinal);
//
// Plain data after Copy(); safe to read from several threads.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLANS_PLAN_TABLE_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLANS_PLAN_TABLE_H_

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "client_sdk/session/session.h"

namespace stowage::runtime {

// Where a plan has an allocation: its index in `allocations`, and the kernel.
struct PlanBirth {
  uint32_t allocation = 0;
  int32_t kernel = 0;
};

// How far a step has come.
struct StepPosition {
  uint64_t signature = 0;  // so far: see step_profile.h
  int32_t kernel = 0;      // the last that began
  int32_t births = 0;      // what it has allocated
};

struct PlanTable {
  uint64_t number = 0;  // which of the agent's plans it is
  uint64_t signature = 0;
  session::PredictedTimes predicted = {};
  int64_t fast_limit_bytes = 0;  // that it was made for
  int64_t fast_end_bytes = 0;    // where the highest tensor or window ends
  uint32_t tensor_count = 0;
  std::vector<session::PlanKernel> kernels;
  // When each kernel begins if all take what the plan counts on, and at the end
  // when the last one ends: one more than there are kernels.
  std::vector<int64_t> boundaries_ns;
  std::vector<session::PlanInitial> initial;
  std::vector<session::PlanAllocation> allocations;
  std::vector<session::PlanMove> moves;
  std::vector<uint32_t> moves_by_deadline;
  std::vector<session::PlanStream> streams;
  // Birth tag (see BirthTag) to index in `initial`, for wrapping tensors; and
  // block id to the same.
  std::unordered_map<uint64_t, uint32_t> initial_by_tag;
  std::unordered_map<uint64_t, uint32_t> initial_by_block;
  // Origin (block_origins.h) to index in `initial`; see IndexOrigins().
  std::unordered_map<uint64_t, uint32_t> initial_by_origin;
  // Birth tag to the allocation that has it.
  std::unordered_map<uint64_t, PlanBirth> birth_by_tag;

  // Copies the plan and checks every index. Returns nullopt if it is
  // inconsistent or names a tier at or above `tier_count`.
  static std::optional<PlanTable> Copy(const session::PlanArea& area,
                                       int tier_count);

  // Lets tensors that the plan knows by the ids of profiled blocks be known by
  // their origins as well, which are given by id.
  void IndexOrigins(const std::unordered_map<uint64_t, uint64_t>& origins);

  // Returns null if the kernel has no such allocation.
  const session::PlanAllocation* Allocation(int32_t kernel,
                                            int32_t ordinal) const;
  // Returns whether kernel number `kernel` is the one with this key.
  bool Expects(int32_t kernel, uint64_t key) const;
  bool Streams(int32_t kernel, int32_t tensor) const;
  // Returns the first operand that the kernel streams, which names its window;
  // null if it streams none.
  const session::PlanStream* FirstStream(int32_t kernel) const;
  // Returns whether both allocate and move alike, by whatever ids they know
  // blocks.
  bool PlacesLike(const PlanTable& other) const;
  // Returns how long the plan's step would take in fast memory alone, in
  // nanoseconds; 0: the plan does not say how long it takes.
  int64_t AloneNs() const;
  // Returns whether a step of the plan's kind passes that position.
  bool Passes(const StepPosition& position) const;
};

// Returns what identifies a birth across steps, made from the kernel's key, the
// size, and how many such births the step had before.
uint64_t BirthTag(uint64_t kernel_key, int64_t size_bytes, int32_t occurrence);

// Counts births within a step and gives them their tags.
class BirthTagger {
 public:
  void Begin() { counts_.clear(); }
  uint64_t Next(uint64_t kernel_key, int64_t size_bytes);

 private:
  std::unordered_map<uint64_t, int32_t> counts_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLANS_PLAN_TABLE_H_
