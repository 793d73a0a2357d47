#include "agents/tiers/memory_provider.h"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "agents/tiers/media.h"
#include "agents/tiers/memory_arena.h"
#include "agents/tiers/numa_node.h"
#include "agents/tiers/shared_memory.h"

namespace stowage::agent {
namespace {

constexpr int kAnyNode = -1;

class MemoryProvider : public TierProvider {
 public:
  MemoryProvider(TierTraits traits, int node, int64_t default_bytes)
      : traits_(std::move(traits)),
        node_(node),
        default_bytes_(default_bytes) {}

  const TierTraits& traits() const override { return traits_; }

  absl::StatusOr<int64_t> DefaultBytes() const override {
    return default_bytes_;
  }

  absl::StatusOr<std::unique_ptr<Arena>> CreateArena(
      int64_t capacity_bytes) const override {
    if (capacity_bytes <= 0) capacity_bytes = default_bytes_;
    absl::StatusOr<SharedMemory> memory = SharedMemory::Create(
        absl::StrCat("stowage-", traits_.name), capacity_bytes);
    if (!memory.ok()) return memory.status();
    return MakeArena(*std::move(memory));
  }

  absl::StatusOr<std::unique_ptr<Arena>> AdoptArena(OwnedFd fd) const override {
    absl::StatusOr<SharedMemory> memory = SharedMemory::Adopt(std::move(fd));
    if (!memory.ok()) return memory.status();
    return MakeArena(*std::move(memory));
  }

 private:
  absl::StatusOr<std::unique_ptr<Arena>> MakeArena(SharedMemory memory) const {
    // Copies need the addresses of fewer pages. Hosts that forbid it for shared
    // memory say so, or do nothing.
    madvise(memory.data(), memory.size_bytes(), MADV_HUGEPAGE);
    if (node_ != kAnyNode) {
      absl::Status bound =
          BindToNumaNode(memory.data(), memory.size_bytes(), node_);
      if (!bound.ok()) return bound;
    }
    return std::make_unique<MemoryArena>(std::move(memory));
  }

  const TierTraits traits_;
  const int node_;
  const int64_t default_bytes_;
};

int64_t DefaultBytes(const TierSpec& spec) {
  return spec.size_bytes > 0 ? spec.size_bytes : HostMemoryBytes();
}

absl::StatusOr<int> ParseNode(const TierSpec& spec) {
  int node = 0;
  if (!absl::SimpleAtoi(spec.argument, &node) || node < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("tier '", spec.text, "': '", spec.argument,
                     "' is not a NUMA node number"));
  }
  if (absl::Status s = CheckNumaNode(node); !s.ok()) return s;
  return node;
}

absl::StatusOr<std::unique_ptr<TierProvider>> MakeBoundProvider(
    const TierSpec& spec, TierTraits traits) {
  const absl::StatusOr<int> node = ParseNode(spec);
  if (!node.ok()) return node.status();
  traits.medium = absl::StrCat("node ", *node);
  return std::make_unique<MemoryProvider>(std::move(traits), *node,
                                          DefaultBytes(spec));
}

}  // namespace

int64_t HostMemoryBytes() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

absl::StatusOr<std::unique_ptr<TierProvider>> MakeDramProvider(
    const TierSpec& spec) {
  TierTraits traits{.name = "dram",
                    .addressable = true,
                    .copy_write_threads = 16,
                    .medium = "dram"};
  if (!spec.argument.empty()) return MakeBoundProvider(spec, traits);
  return std::make_unique<MemoryProvider>(traits, kAnyNode, DefaultBytes(spec));
}

absl::StatusOr<std::unique_ptr<TierProvider>> MakeNumaProvider(
    const TierSpec& spec) {
  const absl::StatusOr<int> node = ParseNode(spec);
  if (!node.ok()) return node.status();
  // However the job writes the number, so that names are as many as nodes.
  return MakeBoundProvider(
      spec, {.name = absl::StrCat("numa-", *node), .addressable = true});
}

absl::StatusOr<std::unique_ptr<TierProvider>> MakeEmulatedProvider(
    const TierSpec& spec) {
  const Medium* medium = FindMedium(spec.argument);
  if (medium == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("tier '", spec.text, "': no medium '", spec.argument,
                     "'; there are: ", MediumNames()));
  }
  return std::make_unique<MemoryProvider>(
      TierTraits{.name = absl::StrCat("emulated-", medium->name),
                 .addressable = true,
                 .kernel_read_ps_per_byte =
                     medium->read_ps_per_byte - medium->dram_read_ps_per_byte,
                 .kernel_write_ps_per_byte =
                     medium->write_ps_per_byte - medium->dram_write_ps_per_byte,
                 .copy_from_ps_per_byte = medium->read_ps_per_byte,
                 .copy_to_ps_per_byte = medium->write_ps_per_byte,
                 .read_latency_ns = medium->read_latency_ns,
                 .write_latency_ns = medium->write_latency_ns,
                 .price_usd_per_gb = medium->price_usd_per_gb,
                 .copy_read_threads = medium->copy_read_threads,
                 .copy_write_threads = medium->copy_write_threads,
                 .medium = absl::StrCat("emulated ", medium->name)},
      kAnyNode, DefaultBytes(spec));
}

}  // namespace stowage::agent
