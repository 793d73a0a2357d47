// Lists the media that DRAM can emulate, with their figures and sources.
//
//   const Medium* medium = FindMedium("optane");
#ifndef STOWAGE_AGENTS_TIERS_MEDIA_H_
#define STOWAGE_AGENTS_TIERS_MEDIA_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace stowage::agent {

// Times are picoseconds a byte, as one thread of kernels or copies sees them.
struct Medium {
  absl::string_view name;
  int64_t read_ps_per_byte;
  int64_t write_ps_per_byte;
  // The same times of the DRAM in the source: kernels wait for the difference.
  int64_t dram_read_ps_per_byte;
  int64_t dram_write_ps_per_byte;
  int64_t read_latency_ns;
  int64_t write_latency_ns;
  double price_usd_per_gb;
  int copy_read_threads;
  int copy_write_threads;
};

// Returns the medium; null if there is none of this name.
const Medium* FindMedium(absl::string_view name);

// Returns "optane, cxl, ...", for messages.
std::string MediumNames();

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_MEDIA_H_
