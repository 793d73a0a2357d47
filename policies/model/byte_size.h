// Writes byte counts for people.
//
//   DescribeBytes(159383552);   // "152 MiB (159383552 bytes)"
//   DescribeBytes(2558600);     // "2.45 MiB (2558600 bytes)"
//   DescribeBytes(4096);        // "4096 bytes"
#ifndef STOWAGE_POLICIES_MODEL_BYTE_SIZE_H_
#define STOWAGE_POLICIES_MODEL_BYTE_SIZE_H_

#include <cstdint>
#include <string>

namespace stowage::policies {

// Returns the MiB, rounded up to three digits, and the exact number of bytes;
// below a MiB the bytes alone. It rounds up so that a least limit which a
// message names works when someone types it in.
std::string DescribeBytes(int64_t bytes);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_BYTE_SIZE_H_
