// Says where a tensor is: p of DeepTM's status record table (III-B).
#ifndef STOWAGE_POLICIES_HEAT_POSITION_H_
#define STOWAGE_POLICIES_HEAT_POSITION_H_

#include <cstdint>

namespace stowage::policies {

// The paper writes 0 (DRAM), 1 (persistent memory) and '-' (not in memory).
enum class Position : int8_t { kFast = 0, kSlow = 1, kNone = -1 };

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_HEAT_POSITION_H_
