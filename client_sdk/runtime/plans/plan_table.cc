#include "client_sdk/runtime/plans/plan_table.h"

#include <algorithm>
#include <numeric>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/session/hash.h"

namespace stowage::runtime {
namespace {

// An hour: those of a whole plan add up without overflow.
constexpr int64_t kLongestKernelNs = 3'600'000'000'000;

// Whether the places that moves keep lie in slower tiers, and drops leave the
// fast one at once. Which drop goes with which move is for the job to see: it
// drops what it has kept itself, and copies what it has not.
bool FlagsConsistent(const session::PlanMove& move) {
  const bool from_fast = move.from_tier == session::kFastTier;
  const bool to_fast = move.to_tier == session::kFastTier;
  switch (move.flags) {
    case 0:
      return true;
    case session::kMoveKeepsSource:
      return to_fast && !from_fast;
    case session::kMoveIsDrop:
      return from_fast && !to_fast && move.start_kernel == move.deadline_kernel;
    default:
      return false;
  }
}

bool Consistent(const PlanTable& plan, int tier_count) {
  const auto tensor_ok = [&](int32_t tensor) {
    return tensor >= 0 && static_cast<uint32_t>(tensor) < plan.tensor_count;
  };
  const auto tier_ok = [&](int32_t tier) {
    return tier >= 0 && tier < tier_count;
  };
  const int32_t kernel_count = static_cast<int32_t>(plan.kernels.size());
  for (const session::PlanKernel& kernel : plan.kernels) {
    if (kernel.duration_ns < 0 || kernel.duration_ns > kLongestKernelNs) {
      return false;
    }
    if (uint64_t{kernel.first_allocation} + kernel.allocation_count >
        plan.allocations.size()) {
      return false;
    }
  }
  for (const session::PlanAllocation& allocation : plan.allocations) {
    // An ordinal that the profile skipped has no tensor; none matches it.
    if (allocation.tensor == -1 && allocation.size_bytes == 0) continue;
    if (!tensor_ok(allocation.tensor) || !tier_ok(allocation.tier)) {
      return false;
    }
  }
  for (const session::PlanInitial& initial : plan.initial) {
    if (!tensor_ok(initial.tensor) || !tier_ok(initial.tier)) return false;
  }
  for (const session::PlanMove& move : plan.moves) {
    if (!tensor_ok(move.tensor) || !tier_ok(move.from_tier) ||
        !tier_ok(move.to_tier) || move.start_kernel < 0 ||
        move.start_kernel > move.deadline_kernel ||
        move.deadline_kernel > kernel_count || !FlagsConsistent(move)) {
      return false;
    }
  }
  for (const session::PlanStream& stream : plan.streams) {
    if (stream.window_offset_bytes < 0 || stream.window_bytes < 0) return false;
  }
  return std::is_sorted(plan.moves.begin(), plan.moves.end(),
                        [](const auto& a, const auto& b) {
                          return a.start_kernel < b.start_kernel;
                        });
}

// Null if the tensor was not born in the step before, or nowhere in the plan.
const session::PlanAllocation* FindBirth(const PlanTable& plan,
                                         const session::PlanInitial& initial) {
  const bool known =
      initial.birth_kernel >= 0 &&
      static_cast<size_t>(initial.birth_kernel) < plan.kernels.size();
  return known ? plan.Allocation(initial.birth_kernel, initial.birth_ordinal)
               : nullptr;
}

void IndexBirths(PlanTable* plan) {
  BirthTagger tagger;
  for (size_t k = 0; k < plan->kernels.size(); ++k) {
    const session::PlanKernel& kernel = plan->kernels[k];
    for (uint32_t o = 0; o < kernel.allocation_count; ++o) {
      const uint32_t index = kernel.first_allocation + o;
      const uint64_t tag =
          tagger.Next(kernel.key, plan->allocations[index].size_bytes);
      plan->birth_by_tag[tag] = {index, static_cast<int32_t>(k)};
    }
  }
}

void IndexInitial(PlanTable* plan) {
  std::unordered_map<uint32_t, uint64_t> tags;  // by allocation
  for (const auto& [tag, birth] : plan->birth_by_tag) {
    tags[birth.allocation] = tag;
  }
  for (uint32_t i = 0; i < plan->initial.size(); ++i) {
    const session::PlanInitial& initial = plan->initial[i];
    if (initial.block_id != 0) plan->initial_by_block[initial.block_id] = i;
    const session::PlanAllocation* birth = FindBirth(*plan, initial);
    if (birth == nullptr) continue;
    const auto tag = tags.find(birth - plan->allocations.data());
    if (tag != tags.end()) plan->initial_by_tag[tag->second] = i;
  }
}

std::vector<int64_t> BoundariesNs(
    const std::vector<session::PlanKernel>& kernels) {
  std::vector<int64_t> boundaries_ns = {0};
  for (const session::PlanKernel& kernel : kernels) {
    boundaries_ns.push_back(boundaries_ns.back() + kernel.duration_ns);
  }
  return boundaries_ns;
}

int64_t FastEndBytes(const PlanTable& plan) {
  int64_t end_bytes = 0;
  const auto note = [&](int32_t tier, int64_t offset_bytes,
                        int64_t size_bytes) {
    if (tier != session::kFastTier) return;
    end_bytes = std::max(end_bytes, offset_bytes + RoundUpToPage(size_bytes));
  };
  for (const session::PlanInitial& initial : plan.initial) {
    note(initial.tier, initial.offset_bytes, initial.size_bytes);
  }
  for (const session::PlanAllocation& allocation : plan.allocations) {
    note(allocation.tier, allocation.offset_bytes, allocation.size_bytes);
  }
  for (const session::PlanMove& move : plan.moves) {
    note(move.to_tier, move.to_offset_bytes, move.size_bytes);
  }
  for (const session::PlanStream& stream : plan.streams) {
    note(session::kFastTier, stream.window_offset_bytes, stream.window_bytes);
  }
  return end_bytes;
}

}  // namespace

std::optional<PlanTable> PlanTable::Copy(const session::PlanArea& area,
                                         int tier_count) {
  if (area.kernel_count > session::kMaxKernels ||
      area.initial_count > session::kMaxBlocks ||
      area.allocation_count > session::kMaxBlocks ||
      area.move_count > session::kMaxMoves ||
      area.stream_count > session::kMaxBlocks) {
    return std::nullopt;
  }
  PlanTable plan;
  plan.signature = area.signature;
  plan.predicted = area.predicted;
  plan.fast_limit_bytes = area.fast_limit_bytes;
  plan.tensor_count = area.tensor_count;
  plan.kernels.assign(area.kernels, area.kernels + area.kernel_count);
  plan.initial.assign(area.initial, area.initial + area.initial_count);
  plan.allocations.assign(area.allocations,
                          area.allocations + area.allocation_count);
  plan.moves.assign(area.moves, area.moves + area.move_count);
  plan.streams.assign(area.streams, area.streams + area.stream_count);
  if (!Consistent(plan, tier_count)) return std::nullopt;

  plan.moves_by_deadline.resize(plan.moves.size());
  std::iota(plan.moves_by_deadline.begin(), plan.moves_by_deadline.end(), 0u);
  std::stable_sort(plan.moves_by_deadline.begin(), plan.moves_by_deadline.end(),
                   [&](uint32_t a, uint32_t b) {
                     return plan.moves[a].deadline_kernel <
                            plan.moves[b].deadline_kernel;
                   });
  plan.boundaries_ns = BoundariesNs(plan.kernels);
  plan.fast_end_bytes = FastEndBytes(plan);
  IndexBirths(&plan);
  IndexInitial(&plan);
  return plan;
}

void PlanTable::IndexOrigins(
    const std::unordered_map<uint64_t, uint64_t>& origins) {
  for (const auto& [id, index] : initial_by_block) {
    const auto origin = origins.find(id);
    if (origin != origins.end()) initial_by_origin[origin->second] = index;
  }
}

const session::PlanAllocation* PlanTable::Allocation(int32_t kernel,
                                                     int32_t ordinal) const {
  const session::PlanKernel& entry = kernels[kernel];
  if (ordinal < 0 || uint32_t(ordinal) >= entry.allocation_count) {
    return nullptr;
  }
  return &allocations[entry.first_allocation + ordinal];
}

bool PlanTable::Expects(int32_t kernel, uint64_t key) const {
  return kernel >= 0 && static_cast<size_t>(kernel) < kernels.size() &&
         kernels[kernel].key == key;
}

const session::PlanStream* PlanTable::FirstStream(int32_t kernel) const {
  const auto stream = std::lower_bound(
      streams.begin(), streams.end(), kernel,
      [](const session::PlanStream& s, int32_t k) { return s.kernel < k; });
  return stream != streams.end() && stream->kernel == kernel ? &*stream
                                                             : nullptr;
}

bool PlanTable::Streams(int32_t kernel, int32_t tensor) const {
  const session::PlanStream* stream = FirstStream(kernel);
  if (stream == nullptr) return false;
  const session::PlanStream* const end = streams.data() + streams.size();
  for (; stream != end && stream->kernel == kernel; ++stream) {
    if (stream->tensor == tensor) return true;
  }
  return false;
}

bool PlanTable::PlacesLike(const PlanTable& other) const {
  return allocations == other.allocations && moves == other.moves;
}

int64_t PlanTable::AloneNs() const {
  return predicted.step_ns - predicted.stall_ns - predicted.stream_ns -
         predicted.slowdown_ns;
}

bool PlanTable::Passes(const StepPosition& position) const {
  if (position.kernel < 0 ||
      static_cast<size_t>(position.kernel) >= kernels.size() ||
      uint32_t(position.births) > kernels[position.kernel].allocation_count) {
    return false;
  }
  uint64_t signature = session::kHashSeed;
  for (int32_t k = 0; k <= position.kernel; ++k) {
    const session::PlanKernel& kernel = kernels[k];
    signature = session::HashMix(signature, kernel.key);
    const uint32_t births =
        k < position.kernel ? kernel.allocation_count : position.births;
    for (uint32_t o = 0; o < births; ++o) {
      signature = session::HashMix(
          signature, allocations[kernel.first_allocation + o].size_bytes);
    }
  }
  return signature == position.signature;
}

uint64_t BirthTag(uint64_t kernel_key, int64_t size_bytes, int32_t occurrence) {
  return session::HashMix(session::HashMix(kernel_key, size_bytes), occurrence);
}

uint64_t BirthTagger::Next(uint64_t kernel_key, int64_t size_bytes) {
  return BirthTag(kernel_key, size_bytes,
                  counts_[session::HashMix(kernel_key, size_bytes)]++);
}

}  // namespace stowage::runtime
