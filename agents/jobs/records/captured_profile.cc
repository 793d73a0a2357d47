#include "agents/jobs/records/captured_profile.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage::agent {
namespace {

constexpr int64_t kMostNs = int64_t{1} << 50;     // 13 days
constexpr int64_t kMostBytes = int64_t{1} << 48;  // more than any address space
// Of all kernels, and of all blocks. Keeps sums far from 2^63, and graphs within
// what the service takes.
constexpr int64_t kMostTotalNs = int64_t{1} << 58;
constexpr int64_t kMostTotalBytes = int64_t{1} << 58;

struct Counts {
  uint32_t kernels;
  uint32_t operands;
  uint32_t blocks;
  uint32_t name_bytes;
};

absl::Status Refuse(absl::string_view record, int64_t index,
                    absl::string_view field, int64_t value) {
  return absl::InvalidArgumentError(
      absl::StrCat("profile: ", record, "[", index, "].", field, " is ", value,
                   ", which no step can have; the step was torn or the plug-in "
                   "is of another release"));
}

// Reads a count exactly once, because the job may change it meanwhile.
uint32_t ReadOnce(const uint32_t& shared) {
  return *static_cast<const volatile uint32_t*>(&shared);
}

absl::StatusOr<Counts> ReadCounts(const session::ProfileArea& area) {
  const Counts counts{ReadOnce(area.kernel_count), ReadOnce(area.operand_count),
                      ReadOnce(area.block_count), ReadOnce(area.name_bytes)};
  if (counts.kernels == 0 || counts.kernels > session::kMaxKernels ||
      counts.operands > session::kMaxOperands ||
      counts.blocks > session::kMaxBlocks ||
      counts.name_bytes > session::kMaxNameBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "profile: ", counts.kernels, " kernels, ", counts.operands,
        " operands, ", counts.blocks, " blocks, ", counts.name_bytes,
        " bytes of names; at least one kernel and at most ",
        session::kMaxKernels, ", ", session::kMaxOperands, ", ",
        session::kMaxBlocks, " and ", session::kMaxNameBytes, " fit"));
  }
  return counts;
}

template <typename T>
std::vector<T> CopyRecords(const T* shared, uint32_t count) {
  std::vector<T> copy(count);
  if (count > 0) std::memcpy(copy.data(), shared, count * sizeof(T));
  return copy;
}

// Returns the name at `offset`, with '?' for what cannot be printed; "kernel"
// if there is none.
std::string NameAt(const std::vector<char>& names, uint32_t offset) {
  if (offset >= names.size()) return "kernel";
  const char* begin = names.data() + offset;
  std::string name(begin, strnlen(begin, names.size() - offset));
  for (char& c : name) {
    if (!absl::ascii_isprint(c)) c = '?';
  }
  return name.empty() ? "kernel" : name;
}

absl::Status CheckKernel(const session::KernelRecord& kernel, int64_t index,
                         size_t operands) {
  if (kernel.first_operand > operands ||
      kernel.operand_count > operands - kernel.first_operand) {
    return Refuse("kernels", index, "operand_count", kernel.operand_count);
  }
  if (kernel.gap_ns < 0 || kernel.gap_ns > kMostNs) {
    return Refuse("kernels", index, "gap_ns", kernel.gap_ns);
  }
  if (kernel.duration_ns < 0 || kernel.duration_ns > kMostNs) {
    return Refuse("kernels", index, "duration_ns", kernel.duration_ns);
  }
  if (kernel.flops < 0) return Refuse("kernels", index, "flops", kernel.flops);
  if (kernel.streamed_bytes < 0 || kernel.streamed_bytes > kMostBytes) {
    return Refuse("kernels", index, "streamed_bytes", kernel.streamed_bytes);
  }
  if (kernel.stream_ns < 0 || kernel.stream_ns > kMostNs) {
    return Refuse("kernels", index, "stream_ns", kernel.stream_ns);
  }
  if (kernel.window_bytes < 0 || kernel.window_bytes > kMostBytes) {
    return Refuse("kernels", index, "window_bytes", kernel.window_bytes);
  }
  for (const int64_t beside_ns : {kernel.beside.out_ns, kernel.beside.in_ns}) {
    if (beside_ns < 0 || beside_ns > kernel.duration_ns) {
      return Refuse("kernels", index, "beside", beside_ns);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckBlock(const session::BlockRecord& block, int64_t index,
                        int32_t kernels) {
  const auto is_kernel_or_none = [kernels](int32_t kernel) {
    return kernel >= -1 && kernel < kernels;
  };
  if (block.size_bytes <= 0 || block.size_bytes > kMostBytes) {
    return Refuse("blocks", index, "size_bytes", block.size_bytes);
  }
  if (!is_kernel_or_none(block.birth_kernel)) {
    return Refuse("blocks", index, "birth_kernel", block.birth_kernel);
  }
  if (!is_kernel_or_none(block.death_kernel) ||
      (block.death_kernel >= 0 && block.death_kernel < block.birth_kernel)) {
    return Refuse("blocks", index, "death_kernel", block.death_kernel);
  }
  // The ordinals determine the size of the plan table.
  if (block.birth_kernel >= 0 &&
      (block.birth_ordinal < 0 ||
       block.birth_ordinal >= static_cast<int64_t>(session::kMaxBlocks))) {
    return Refuse("blocks", index, "birth_ordinal", block.birth_ordinal);
  }
  return absl::OkStatus();
}

absl::Status CheckKernels(const CapturedProfile& profile) {
  size_t uses = 0;  // kernels that shared operands could name them 2^37 times
  int64_t total_ns = 0;
  for (size_t i = 0; i < profile.kernels.size(); ++i) {
    absl::Status s =
        CheckKernel(profile.kernels[i], i, profile.operands.size());
    if (!s.ok()) return s;
    uses += profile.kernels[i].operand_count;
    if (uses > profile.operands.size()) {
      return Refuse("kernels", i, "operand_count (with those before)", uses);
    }
    total_ns += profile.kernels[i].gap_ns + profile.kernels[i].duration_ns;
    if (total_ns > kMostTotalNs) {
      return Refuse("kernels", i, "duration_ns (with those before)", total_ns);
    }
  }
  for (size_t i = 0; i < profile.operands.size(); ++i) {
    const uint32_t block = profile.operands[i].block;
    if (block >= profile.blocks.size()) {
      return Refuse("operands", i, "block", block);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckBlocks(const CapturedProfile& profile) {
  absl::flat_hash_set<std::pair<int32_t, int32_t>> births;
  int64_t total_bytes = 0;
  for (size_t i = 0; i < profile.blocks.size(); ++i) {
    const session::BlockRecord& block = profile.blocks[i];
    absl::Status s = CheckBlock(block, i, profile.kernel_count());
    if (!s.ok()) return s;
    if (block.birth_kernel >= 0 &&
        !births.insert({block.birth_kernel, block.birth_ordinal}).second) {
      return Refuse("blocks", i, "birth_ordinal (seen before)",
                    block.birth_ordinal);
    }
    total_bytes += block.size_bytes;
    if (total_bytes > kMostTotalBytes) {
      return Refuse("blocks", i, "size_bytes (with those before)", total_bytes);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CapturedProfile> CopyProfile(const session::ProfileArea& area) {
  const absl::StatusOr<Counts> counts = ReadCounts(area);
  if (!counts.ok()) return counts.status();
  CapturedProfile profile{
      .signature = area.signature,
      .duration_ns = area.duration_ns,
      .tensor_peak_bytes = area.tensor_peak_bytes,
      .unmanaged_peak_bytes = area.unmanaged_peak_bytes,
      .kernels = CopyRecords(area.kernels, counts->kernels),
      .operands = CopyRecords(area.operands, counts->operands),
      .blocks = CopyRecords(area.blocks, counts->blocks)};
  if (profile.unmanaged_peak_bytes < 0 ||
      profile.unmanaged_peak_bytes > kMostBytes) {
    return Refuse("area", 0, "unmanaged_peak_bytes",
                  profile.unmanaged_peak_bytes);
  }
  if (profile.tensor_peak_bytes < 0 || profile.tensor_peak_bytes > kMostBytes) {
    return Refuse("area", 0, "tensor_peak_bytes", profile.tensor_peak_bytes);
  }
  if (profile.duration_ns < 0 || profile.duration_ns > kMostNs) {
    return Refuse("area", 0, "duration_ns", profile.duration_ns);
  }
  if (absl::Status s = CheckKernels(profile); !s.ok()) return s;
  if (absl::Status s = CheckBlocks(profile); !s.ok()) return s;
  const std::vector<char> names = CopyRecords(area.names, counts->name_bytes);
  for (const session::KernelRecord& kernel : profile.kernels) {
    profile.names.push_back(NameAt(names, kernel.name_offset));
  }
  return profile;
}

}  // namespace stowage::agent
