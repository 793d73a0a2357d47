#include "agents/jobs/planning/graph_builder.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"

namespace stowage::agent {
namespace {

constexpr uint32_t kMostAccesses = 1'000'000;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
// Two runs of a script differ by a few small storages; their graphs should not.
constexpr int64_t kUnmanagedGranularityBytes = 64 << 10;

// A tensor in the making.
struct Draft {
  int64_t size_bytes = 0;
  bool persistent = false;
  int32_t birth_kernel = -1;
  int32_t death_kernel = -1;
  uint32_t flags = 0;
  bool written = false;
  int64_t first_use = kNever;  // position among all operands
  std::optional<InitialKey> initial;
  std::optional<std::pair<int32_t, int32_t>> birth;  // kernel, ordinal
};

bool AliveAtStart(const session::BlockRecord& block) {
  return block.birth_kernel < 0;
}
bool AliveAtEnd(const session::BlockRecord& block) {
  return block.death_kernel < 0;
}

// Returns whether the block was there before the step and is freed in it.
bool IsOlder(const session::BlockRecord& block) {
  return AliveAtStart(block) && !AliveAtEnd(block);
}

// Decides which blocks are one tensor and how long it lives.
class Drafter {
 public:
  explicit Drafter(const CapturedProfile& profile)
      : profile_(profile), draft_of_block_(profile.blocks.size(), -1) {
    IndexLastingBirths();
    for (size_t i = 0; i < profile.blocks.size(); ++i) JoinSameBirth(i);
    for (uint32_t i : OlderBlocksByBirth()) JoinSameSize(i);
    for (size_t i = 0; i < profile.blocks.size(); ++i) DraftRemaining(i);
    NoteUses();
  }

  std::vector<Draft>& drafts() { return drafts_; }
  int32_t draft_of(uint32_t block) const { return draft_of_block_[block]; }

 private:
  using BirthKey = std::pair<int32_t, int32_t>;
  using LastingBirths = absl::btree_map<BirthKey, uint32_t>;

  static BirthKey BirthOf(const session::BlockRecord& block) {
    return {block.birth_kernel, block.birth_ordinal};
  }

  void IndexLastingBirths() {
    for (size_t i = 0; i < profile_.blocks.size(); ++i) {
      const session::BlockRecord& block = profile_.blocks[i];
      if (!AliveAtStart(block) && AliveAtEnd(block)) {
        lasting_births_[BirthOf(block)] = i;
      }
    }
  }

  void Add(Draft draft, uint32_t block) {
    draft_of_block_[block] = static_cast<int32_t>(drafts_.size());
    drafts_.push_back(std::move(draft));
  }

  std::vector<uint32_t> OlderBlocksByBirth() const {
    std::vector<uint32_t> older;
    for (size_t i = 0; i < profile_.blocks.size(); ++i) {
      if (IsOlder(profile_.blocks[i])) older.push_back(i);
    }
    std::sort(older.begin(), older.end(), [this](uint32_t a, uint32_t b) {
      return profile_.blocks[a].id < profile_.blocks[b].id;
    });
    return older;
  }

  // Joins the block with the one that is born where it was born in the step
  // before.
  void JoinSameBirth(uint32_t index) {
    const session::BlockRecord& block = profile_.blocks[index];
    if (!IsOlder(block)) return;
    const auto found = lasting_births_.find(
        {block.previous_birth_kernel, block.previous_birth_ordinal});
    if (found != lasting_births_.end() &&
        profile_.blocks[found->second].size_bytes == block.size_bytes) {
      JoinWithSuccessor(index, found);
    }
  }

  // Joins the block with the next one of its size. A step that is unlike the
  // one before, such as the second of all, tells nothing about births; blocks
  // of one size are then born in the same order.
  void JoinSameSize(uint32_t index) {
    const session::BlockRecord& block = profile_.blocks[index];
    if (draft_of_block_[index] >= 0) return;
    const auto found = std::find_if(
        lasting_births_.begin(), lasting_births_.end(), [&](const auto& birth) {
          return profile_.blocks[birth.second].size_bytes == block.size_bytes;
        });
    if (found != lasting_births_.end()) JoinWithSuccessor(index, found);
  }

  // Makes one tensor of both blocks, which lives into the next step; two if
  // they are alive at once.
  void JoinWithSuccessor(uint32_t index, LastingBirths::iterator found) {
    const session::BlockRecord& block = profile_.blocks[index];
    const auto [birth, successor] = *found;
    lasting_births_.erase(found);  // one block has one successor
    const InitialKey initial{.birth_kernel = birth.first,
                             .birth_ordinal = birth.second};
    if (block.death_kernel < birth.first) {
      Add({.size_bytes = block.size_bytes,
           .birth_kernel = birth.first,
           .death_kernel = block.death_kernel,
           .flags = block.flags | profile_.blocks[successor].flags,
           .initial = initial,
           .birth = birth},
          index);
      draft_of_block_[successor] = draft_of_block_[index];
      return;
    }
    Add({.size_bytes = block.size_bytes,
         .persistent = true,
         .flags = block.flags,
         .initial = initial},
        index);
    Add({.size_bytes = block.size_bytes,
         .birth_kernel = birth.first,
         .death_kernel = profile_.kernel_count() - 1,
         .flags = profile_.blocks[successor].flags,
         .birth = birth},
        successor);
  }

  void DraftRemaining(uint32_t index) {
    if (draft_of_block_[index] >= 0) return;
    const session::BlockRecord& block = profile_.blocks[index];
    Draft draft{.size_bytes = block.size_bytes, .flags = block.flags};
    if (AliveAtStart(block)) {
      draft.persistent = true;
      draft.initial = InitialKey{.block_id = block.id};
    } else {
      draft.birth = BirthOf(block);
      draft.persistent = AliveAtEnd(block);
      draft.birth_kernel = block.birth_kernel;
      draft.death_kernel = block.death_kernel;
      if (draft.persistent) {
        draft.initial = InitialKey{.birth_kernel = block.birth_kernel,
                                   .birth_ordinal = block.birth_ordinal};
      }
    }
    Add(std::move(draft), index);
  }

  void NoteUses() {
    for (int32_t k = 0; k < profile_.kernel_count(); ++k) {
      const session::KernelRecord& kernel = profile_.kernels[k];
      for (uint32_t i = 0; i < kernel.operand_count; ++i) {
        const uint32_t position = kernel.first_operand + i;
        const session::OperandRecord& operand = profile_.operands[position];
        Draft& draft = drafts_[draft_of_block_[operand.block]];
        draft.first_use = std::min<int64_t>(draft.first_use, position);
        if (operand.flags & session::kOperandWrite) draft.written = true;
        Stretch(draft, k);
      }
    }
  }

  // Lets the tensor live until its use: another thread may have noted its end
  // too early.
  static void Stretch(Draft& draft, int32_t use) {
    if (draft.persistent) return;
    const bool wraps = draft.birth_kernel > draft.death_kernel;
    if (use > draft.death_kernel && (!wraps || use < draft.birth_kernel)) {
      draft.death_kernel = use;
    }
  }

  const CapturedProfile& profile_;
  std::vector<int32_t> draft_of_block_;
  std::vector<Draft> drafts_;
  // Blocks born in the step and alive at its end.
  LastingBirths lasting_births_;
};

bool IsWorkspace(const Draft& draft) {
  return (draft.flags & session::kBlockRaw) != 0 && !draft.persistent &&
         draft.birth_kernel == draft.death_kernel;
}

v1::TensorKind KindOf(const Draft& draft) {
  if (IsWorkspace(draft)) return v1::TENSOR_KIND_WORKSPACE;
  if (draft.flags & session::kBlockRaw) return v1::TENSOR_KIND_ACTIVATION;
  if (draft.persistent) {
    if (draft.flags & session::kBlockParameter) return v1::TENSOR_KIND_WEIGHT;
    return draft.written ? v1::TENSOR_KIND_OPTIMIZER_STATE
                         : v1::TENSOR_KIND_INPUT;
  }
  return draft.flags & session::kBlockBackward ? v1::TENSOR_KIND_GRADIENT
                                               : v1::TENSOR_KIND_ACTIVATION;
}

v1::Tensor ToTensor(const Draft& draft) {
  v1::Tensor tensor;
  tensor.set_size_bytes(draft.size_bytes);
  tensor.set_kind(KindOf(draft));
  tensor.set_persistent(draft.persistent);
  if (!draft.persistent) {
    tensor.set_birth_kernel(draft.birth_kernel);
    tensor.set_death_kernel(draft.death_kernel);
  }
  const bool scratch = (draft.flags & session::kBlockRaw) != 0;
  tensor.set_pinned((draft.flags & session::kBlockPinned) != 0 ||
                    (scratch && !IsWorkspace(draft)));
  return tensor;
}

// Returns the order of the tensors: persistent ones by first use, then the
// others by birth.
std::vector<int32_t> CanonicalOrder(const std::vector<Draft>& drafts) {
  std::vector<int32_t> order(drafts.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
  const auto key = [&drafts](int32_t i) {
    const Draft& draft = drafts[i];
    const int64_t position =
        draft.persistent ? draft.first_use : draft.birth->first;
    return std::make_tuple(
        !draft.persistent, position, draft.birth ? draft.birth->second : -1,
        draft.size_bytes, draft.initial ? draft.initial->block_id : 0);
  };
  std::sort(order.begin(), order.end(),
            [&key](int32_t a, int32_t b) { return key(a) < key(b); });
  return order;
}

// Adds an operand to the kernel, which must name each tensor once.
void AddOperand(const session::OperandRecord& record, int32_t tensor,
                absl::flat_hash_map<int32_t, int>& seen, v1::Kernel& kernel) {
  const auto [entry, is_new] = seen.try_emplace(tensor, kernel.operands_size());
  v1::Operand& operand =
      is_new ? *kernel.add_operands() : *kernel.mutable_operands(entry->second);
  operand.set_tensor(tensor);
  const bool write = (record.flags & session::kOperandWrite) != 0;
  const bool read = (record.flags & session::kOperandRead) != 0 || !write;
  operand.set_read(operand.read() || read);
  operand.set_write(operand.write() || write);
  operand.set_streamed(operand.streamed() ||
                       (record.flags & session::kOperandStreamed) != 0);
  operand.set_scattered(operand.scattered() ||
                        (record.flags & session::kOperandScattered) != 0);
  const uint32_t accesses =
      std::clamp<uint32_t>(record.access_count, 1, kMostAccesses) +
      static_cast<uint32_t>(operand.access_count());
  operand.set_access_count(std::min(accesses, kMostAccesses));
}

void FillKernel(const CapturedProfile& profile, int32_t index,
                const std::vector<int32_t>& tensor_of_block,
                v1::Kernel& kernel) {
  const session::KernelRecord& record = profile.kernels[index];
  kernel.set_name(profile.names[index]);
  kernel.set_gap_ns(record.gap_ns);
  kernel.set_flops(record.flops);
  v1::ProfiledDuration& duration =
      *kernel.mutable_profile()->mutable_fast_inputs_fast_outputs();
  duration.set_duration_ns(record.duration_ns);
  // A kernel that touched a slow tier took longer than this corner would.
  duration.set_source(record.slow_operands == 0 ? v1::DURATION_SOURCE_MEASURED
                                                : v1::DURATION_SOURCE_DERIVED);
  if (record.streamed_bytes > 0) {
    kernel.mutable_streamed()->set_bytes(record.streamed_bytes);
    kernel.mutable_streamed()->set_duration_ns(record.stream_ns);
    kernel.mutable_streamed()->set_window_bytes(record.window_bytes);
  }
  absl::flat_hash_map<int32_t, int> seen;
  for (uint32_t i = 0; i < record.operand_count; ++i) {
    const session::OperandRecord& operand =
        profile.operands[record.first_operand + i];
    AddOperand(operand, tensor_of_block[operand.block], seen, kernel);
  }
}

}  // namespace

GraphBinding BuildGraph(const CapturedProfile& profile) {
  Drafter drafter(profile);
  const std::vector<Draft>& drafts = drafter.drafts();
  const std::vector<int32_t> order = CanonicalOrder(drafts);

  GraphBinding binding{.signature = profile.signature};
  v1::Graph& graph = binding.graph;
  graph.set_schema_version(1);
  graph.set_name(absl::StrFormat("captured-%016x", profile.signature));
  graph.set_source("captured by stowage");
  graph.set_unmanaged_peak_bytes(
      (profile.unmanaged_peak_bytes + kUnmanagedGranularityBytes - 1) /
      kUnmanagedGranularityBytes * kUnmanagedGranularityBytes);

  std::vector<int32_t> tensor_of_draft(drafts.size());
  for (size_t t = 0; t < order.size(); ++t) {
    const Draft& draft = drafts[order[t]];
    tensor_of_draft[order[t]] = static_cast<int32_t>(t);
    *graph.add_tensors() = ToTensor(draft);
    binding.initial.push_back(draft.initial);
    if (draft.birth) {
      binding.births.push_back(
          {draft.birth->first, draft.birth->second, static_cast<int32_t>(t)});
    }
  }
  std::sort(binding.births.begin(), binding.births.end(),
            [](const Birth& a, const Birth& b) {
              return std::tie(a.kernel, a.ordinal) <
                     std::tie(b.kernel, b.ordinal);
            });

  std::vector<int32_t> tensor_of_block(profile.blocks.size());
  for (size_t i = 0; i < tensor_of_block.size(); ++i) {
    tensor_of_block[i] = tensor_of_draft[drafter.draft_of(i)];
  }
  for (int32_t k = 0; k < profile.kernel_count(); ++k) {
    FillKernel(profile, k, tensor_of_block, *graph.add_kernels());
    binding.kernel_keys.push_back(profile.kernels[k].key);
  }
  return binding;
}

}  // namespace stowage::agent
