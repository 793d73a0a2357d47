// Says what a processor can do at most.
#ifndef STOWAGE_POLICIES_MODEL_PROCESSOR_H_
#define STOWAGE_POLICIES_MODEL_PROCESSOR_H_

#include <cstdint>

namespace stowage::policies {

struct ProcessorPeak {
  int64_t flops_per_second = 0;  // single precision; 0: unknown
  int64_t bytes_per_second = 0;  // of its fastest memory; 0: unknown

  bool known() const { return flops_per_second > 0 && bytes_per_second > 0; }
  bool operator==(const ProcessorPeak&) const = default;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_PROCESSOR_H_
