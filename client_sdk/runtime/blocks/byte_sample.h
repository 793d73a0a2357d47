// Tells whether a tensor changed although no operator was seen to write it.
//
//   const uint64_t sample = SampleOf(bytes.data(), bytes.size());
//   bytes[0] = 'x';                        // after it was copied
//   bool changed = SampleOf(bytes.data(), bytes.size()) != sample;
//
// Code that PyTorch does not know of may write by an address that it took
// before. A copy of the tensor would then be taken for its bytes, and the job
// would compute other numbers. Nobody can look at all bytes of all tensors; but
// who updates a weight changes nearly every element, which a few of them tell.
// This is a net below what the hook sees, not a proof: it misses a change of few
// elements.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_BYTE_SAMPLE_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_BYTE_SAMPLE_H_

#include <cstdint>

namespace stowage::runtime {

// Returns a hash of sixteen cache lines, which lie evenly from the first to the
// last, or of all bytes if they are not more. Takes a microsecond or two if they
// are not in a cache.
uint64_t SampleOf(const char* bytes, int64_t size_bytes);

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_BYTE_SAMPLE_H_
