#include "client_sdk/runtime/steps/step_profile.h"

#include <string.h>

#include <algorithm>
#include <string>

#include "client_sdk/session/hash.h"

namespace stowage::runtime {
namespace {

uint32_t FlagsOf(const Block& block) {
  uint32_t flags = 0;
  if (block.parameter) flags |= session::kBlockParameter;
  if (block.storage == nullptr) flags |= session::kBlockRaw;
  if (block.pinned) flags |= session::kBlockPinned;
  if (block.backward) flags |= session::kBlockBackward;
  return flags;
}

}  // namespace

void StepProfile::Begin() {
  signature_ = session::kHashSeed;
  kernels_.clear();
  operands_.clear();
  uses_beside_.clear();
  blocks_.clear();
  tags_.clear();
  alive_.clear();
  names_.clear();
  origins_.clear();
}

int32_t StepProfile::Add(Block* block, const session::BlockRecord& record,
                         uint64_t tag) {
  block->profile_index = static_cast<int32_t>(blocks_.size());
  blocks_.push_back(record);
  tags_.push_back(tag);
  alive_.push_back(block);
  return block->profile_index;
}

void StepProfile::AddAlive(Block* block, uint64_t previous_tag) {
  if (block->origin != 0) origins_[block->id] = block->origin;
  Add(block,
      {.id = block->id,
       .size_bytes = block->size_bytes,
       .birth_kernel = -1,
       .birth_ordinal = -1,
       .death_kernel = -1,
       .previous_birth_kernel = -1,
       .previous_birth_ordinal = -1,
       .flags = 0},
      previous_tag);
}

int32_t StepProfile::AddKernel(uint64_t key, std::string_view name,
                               int64_t gap_ns) {
  signature_ = session::HashMix(signature_, key);
  kernels_.push_back({.key = key, .gap_ns = gap_ns});
  names_.push_back(name);
  return kernel_count() - 1;
}

// Returns the operand if the kernel, which is the last one, has named its block.
session::OperandRecord* StepProfile::FindOperand(int32_t kernel,
                                                 uint32_t block) {
  for (auto entry = operands_.rbegin();
       entry != operands_.rend() && entry->first == kernel; ++entry) {
    if (entry->second.block == block) return &entry->second;
  }
  return nullptr;
}

void StepProfile::AddOperand(int32_t kernel, const KernelOperand& operand) {
  if (operand.block->profile_index < 0) return;
  const auto block = static_cast<uint32_t>(operand.block->profile_index);
  if (session::OperandRecord* known = FindOperand(kernel, block)) {
    known->flags |= operand.flags;
    known->access_count += operand.access_count;
    return;
  }
  operands_.push_back({kernel,
                       {.block = block,
                        .flags = operand.flags,
                        .access_count = operand.access_count}});
}

void StepProfile::NoteStreamed(int32_t kernel, const Block& block) {
  if (block.profile_index < 0) return;
  session::OperandRecord* operand =
      FindOperand(kernel, static_cast<uint32_t>(block.profile_index));
  if (operand != nullptr) operand->flags |= session::kOperandStreamed;
}

void StepProfile::AddUseBeside(const Block& block) {
  if (block.profile_index < 0) return;
  uses_beside_.push_back({.block = static_cast<uint32_t>(block.profile_index),
                          .first_kernel = kernel_count()});
}

void StepProfile::AddBirth(int32_t kernel, int32_t ordinal, Block* block) {
  signature_ = session::HashMix(signature_, block->size_bytes);
  Add(block,
      {.id = block->id,
       .size_bytes = block->size_bytes,
       .birth_kernel = kernel,
       .birth_ordinal = ordinal,
       .death_kernel = -1,
       .previous_birth_kernel = -1,
       .previous_birth_ordinal = -1,
       .flags = 0},
      block->birth_tag);
}

void StepProfile::AddDeath(const Block& block) {
  if (block.profile_index < 0) return;
  session::BlockRecord& record = blocks_[block.profile_index];
  record.death_kernel = std::max(0, kernel_count() - 1);
  record.flags = FlagsOf(block);
  // What used it beside kernels no longer does.
  if (block.views > 0) record.flags &= ~session::kBlockPinned;
  alive_[block.profile_index] = nullptr;
}

void StepProfile::EndKernel(int32_t kernel, const MeasuredKernel& measured) {
  session::KernelRecord& record = kernels_[kernel];
  record.duration_ns = measured.duration_ns;
  record.flops = measured.flops;
  record.slow_operands = measured.slow_operands;
  record.streamed_bytes = measured.streamed_bytes;
  record.stream_ns = measured.stream_ns;
  record.window_bytes = measured.window_bytes;
  record.beside = measured.beside;
}

// Returns the first kernel that does not run beside the use.
int32_t StepProfile::EndOf(const UseBeside& use) const {
  const auto named = std::find_if(operands_.begin(), operands_.end(),
                                  [&use](const Operand& operand) {
                                    return operand.first >= use.first_kernel &&
                                           operand.second.block == use.block;
                                  });
  if (named != operands_.end()) return named->first;
  const int32_t death = blocks_[use.block].death_kernel;
  return death < 0 ? kernel_count() : death + 1;
}

// Returns the operands of all kernels, grouped by kernel and in order.
std::vector<StepProfile::Operand> StepProfile::AllOperands() const {
  std::vector<Operand> operands = operands_;
  for (const UseBeside& use : uses_beside_) {
    const int32_t end = EndOf(use);
    for (int32_t kernel = use.first_kernel; kernel < end; ++kernel) {
      operands.push_back({kernel,
                          {.block = use.block,
                           .flags = session::kOperandRead,
                           .access_count = 1}});
    }
  }
  std::stable_sort(
      operands.begin(), operands.end(),
      [](const Operand& a, const Operand& b) { return a.first < b.first; });
  return operands;
}

bool StepProfile::Fits() const {
  size_t operand_count = operands_.size();
  for (const UseBeside& use : uses_beside_) {
    operand_count += EndOf(use) - use.first_kernel;
  }
  return kernels_.size() <= session::kMaxKernels &&
         operand_count <= session::kMaxOperands &&
         blocks_.size() <= session::kMaxBlocks;
}

void StepProfile::Write(session::ProfileArea* area) const {
  area->signature = signature_;
  area->kernel_count = kernels_.size();
  area->block_count = blocks_.size();

  std::unordered_map<std::string_view, uint32_t> name_offsets;
  uint32_t name_bytes = 0;
  for (size_t k = 0; k < kernels_.size(); ++k) {
    auto [entry, added] = name_offsets.try_emplace(names_[k], name_bytes);
    if (added && name_bytes + names_[k].size() + 1 <= session::kMaxNameBytes) {
      memcpy(area->names + name_bytes, names_[k].data(), names_[k].size());
      name_bytes += names_[k].size();
      area->names[name_bytes++] = '\0';
    } else if (added) {
      entry->second = 0;  // out of room for names: any name will do
    }
    area->kernels[k] = kernels_[k];
    area->kernels[k].name_offset = entry->second;
  }
  area->name_bytes = name_bytes;

  const std::vector<Operand> operands = AllOperands();
  area->operand_count = operands.size();
  for (uint32_t i = 0; i < operands.size(); ++i) {
    const auto& [kernel, operand] = operands[i];
    area->operands[i] = operand;
    session::KernelRecord& record = area->kernels[kernel];
    if (record.operand_count++ == 0) record.first_operand = i;
  }

  // A block that was alive at the start was born where the block with the same
  // tag was born in this step.
  std::unordered_map<uint64_t, size_t> born;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].birth_kernel >= 0) born[tags_[i]] = i;
  }
  for (size_t i = 0; i < blocks_.size(); ++i) {
    session::BlockRecord& record = area->blocks[i];
    record = blocks_[i];
    if (alive_[i] != nullptr) record.flags = FlagsOf(*alive_[i]);
    auto partner = born.find(tags_[i]);
    if (record.birth_kernel >= 0 || tags_[i] == 0 || partner == born.end()) {
      continue;
    }
    record.previous_birth_kernel = blocks_[partner->second].birth_kernel;
    record.previous_birth_ordinal = blocks_[partner->second].birth_ordinal;
  }
}

}  // namespace stowage::runtime
