// Builds profile areas by hand.
//
//   ProfileBuilder profile;
//   const uint32_t weight = profile.AddBlock({.size_bytes = 4096});
//   profile.AddKernel("aten::mm", {{weight, session::kOperandRead}});
//   absl::StatusOr<CapturedProfile> copy = CopyProfile(profile.area());
#ifndef STOWAGE_TESTS_UNIT_AGENTS_JOBS_PROFILE_BUILDER_H_
#define STOWAGE_TESTS_UNIT_AGENTS_JOBS_PROFILE_BUILDER_H_

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "agents/jobs/records/captured_profile.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {

class ProfileBuilder {
 public:
  struct Use {
    uint32_t block = 0;
    uint32_t flags = session::kOperandRead;
    uint32_t access_count = 1;
  };

  // Fills `area` if given, else one of its own.
  explicit ProfileBuilder(session::ProfileArea* area = nullptr)
      : own_(area == nullptr ? std::make_unique<session::ProfileArea>()
                             : nullptr),
        area_(area == nullptr ? own_.get() : area) {
    area_->signature = 0xabc;
  }

  uint32_t AddBlock(const session::BlockRecord& block) {
    area_->blocks[area_->block_count] = block;
    return area_->block_count++;
  }

  uint32_t AddKernel(const std::string& name, const std::vector<Use>& uses,
                     uint32_t slow_operands = 0) {
    const uint32_t index = area_->kernel_count++;
    area_->kernels[index] = {
        .key = 1000 + index,
        .name_offset = area_->name_bytes,
        .first_operand = area_->operand_count,
        .operand_count = static_cast<uint32_t>(uses.size()),
        .slow_operands = slow_operands,
        .gap_ns = 10,
        .duration_ns = 100,
        .flops = 5};
    std::memcpy(area_->names + area_->name_bytes, name.c_str(),
                name.size() + 1);
    area_->name_bytes += name.size() + 1;
    for (const Use& use : uses) {
      area_->operands[area_->operand_count++] = {
          .block = use.block,
          .flags = use.flags,
          .access_count = use.access_count};
    }
    return index;
  }

  session::ProfileArea& area() { return *area_; }
  absl::StatusOr<CapturedProfile> Copy() const { return CopyProfile(*area_); }

 private:
  std::unique_ptr<session::ProfileArea> own_;
  session::ProfileArea* area_;
};

// Returns a block that lives through the whole step.
inline session::BlockRecord Lasting(uint64_t id, int64_t size_bytes,
                                    uint32_t flags = 0) {
  return {.id = id,
          .size_bytes = size_bytes,
          .birth_kernel = -1,
          .death_kernel = -1,
          .previous_birth_kernel = -1,
          .previous_birth_ordinal = -1,
          .flags = flags};
}

// Returns a block that is born in the step, at (birth, ordinal).
inline session::BlockRecord Passing(uint64_t id, int64_t size_bytes,
                                    int32_t birth, int32_t ordinal,
                                    int32_t death, uint32_t flags = 0) {
  return {.id = id,
          .size_bytes = size_bytes,
          .birth_kernel = birth,
          .birth_ordinal = ordinal,
          .death_kernel = death,
          .previous_birth_kernel = -1,
          .previous_birth_ordinal = -1,
          .flags = flags};
}

// Returns a block of the step before, which was born there at (birth, ordinal).
inline session::BlockRecord Older(uint64_t id, int64_t size_bytes,
                                  int32_t birth, int32_t ordinal, int32_t death,
                                  uint32_t flags = 0) {
  return {.id = id,
          .size_bytes = size_bytes,
          .birth_kernel = -1,
          .death_kernel = death,
          .previous_birth_kernel = birth,
          .previous_birth_ordinal = ordinal,
          .flags = flags};
}

}  // namespace stowage::agent

#endif  // STOWAGE_TESTS_UNIT_AGENTS_JOBS_PROFILE_BUILDER_H_
