// Makes the error of an allocation that no tier has room for.
//
//   throw NoRoomFor(block->size_bytes);
//
// Scripts that look for the largest batch catch PyTorch's error and know it by
// its words, which this one has, too.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_NO_ROOM_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_NO_ROOM_H_

#include <cstdint>
#include <stdexcept>

#include "client_sdk/session/size_spec.h"

namespace stowage::runtime {

inline std::runtime_error NoRoomFor(int64_t size_bytes) {
  return std::runtime_error(
      "stowage: DefaultCPUAllocator: can't allocate memory: no tier has room "
      "for a tensor of " +
      session::SizeText(size_bytes) +
      "; give the slow tier more space or raise the limit of fast memory");
}

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_NO_ROOM_H_
