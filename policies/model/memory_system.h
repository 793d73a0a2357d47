// Describes a node's memory tiers, fast to slow, and what copies between them
// cost.
//
//   MemorySystem system = *PresetMemorySystem("optane");   // presets.h
//   int64_t ns = system.CopyDurationNs(0, 1, 64 << 20);
//
// Plain data after construction; safe to read from several threads.
#ifndef STOWAGE_POLICIES_MODEL_MEMORY_SYSTEM_H_
#define STOWAGE_POLICIES_MODEL_MEMORY_SYSTEM_H_

#include <cstdint>
#include <string>
#include <vector>

namespace stowage::policies {

using TierIndex = int32_t;
inline constexpr TierIndex kFastTier = 0;

struct BandwidthPoint {
  int32_t threads = 1;
  int64_t bytes_per_second = 0;
};

struct Tier {
  std::string name;
  int64_t capacity_bytes = 0;  // 0: unlimited
  bool addressable = false;
  bool streamable = false;
  std::vector<BandwidthPoint> read;
  std::vector<BandwidthPoint> write;
  int64_t read_latency_ns = 0;
  int64_t write_latency_ns = 0;
  int64_t page_bytes = 4096;
  double price_usd_per_gb = 0;
  int32_t copy_write_threads = 1;
  int32_t copy_read_threads = 1;

  // Return the highest bandwidth over all thread counts.
  int64_t peak_read_bytes_per_second() const;
  int64_t peak_write_bytes_per_second() const;
};

struct CopyPoint {
  int64_t buffer_bytes = 0;
  int64_t bytes_per_second = 0;
};

// By how much kernels are slower beside copies, from 0; linear in between.
struct Slowdown {
  double compute = 0;  // of a kernel that uses no memory
  double memory = 0;   // of one that keeps the fast tier busy all the time

  bool operator==(const Slowdown&) const = default;
};

struct CopyCurve {
  TierIndex from_tier = 0;
  TierIndex to_tier = 0;
  std::vector<CopyPoint> points;
  int64_t setup_ns = 0;
  Slowdown slowdown = {};
  // Of its bandwidth, while the lane of the opposite direction copies.
  double both_ways_share = 1;
};

struct MemorySystem {
  std::string name;
  std::string description;
  std::vector<Tier> tiers;
  std::vector<CopyCurve> copies;
  std::string processor;
  int64_t processor_flops_per_second = 0;  // single precision; 0: unknown

  TierIndex tier_count() const { return static_cast<TierIndex>(tiers.size()); }
  // Returns how long one copy of `bytes` occupies the lane from `from` to `to`:
  // by the curve if one is listed, else by the slower of source and
  // destination.
  int64_t CopyDurationNs(TierIndex from, TierIndex to, int64_t bytes) const;
  // Returns what copies from `from` to `to` do to kernels; nothing, if no curve
  // is listed.
  Slowdown SlowdownBeside(TierIndex from, TierIndex to) const;
  // Returns the share of its bandwidth that the lane from `from` to `to` keeps
  // while the one from `to` to `from` copies; 1, if no curve is listed.
  double BothWaysShare(TierIndex from, TierIndex to) const;
};

// Returns whether kernels can use some tier below the fast one in place.
bool HasAddressableSlowTier(const MemorySystem& system);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_MEMORY_SYSTEM_H_
