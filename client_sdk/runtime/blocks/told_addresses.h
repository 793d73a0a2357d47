// Remembers which addresses programs were told as the names of storages.
//
//   ToldAddresses told;
//   told.Add(address, *block);
//   told.IsOfAnother(address, *other);  // true: it needs an address of its own
//   told.Forget(*block);                // it dies
//   told.Clear();                       // the step ends
//
// Programs compare the addresses of storages to find tensors that share memory.
// A tensor that moves leaves its address to others, and then two of them would
// look like one: a checkpoint would hold the bytes of one in place of the
// other's. So an address that was told belongs to that block until the step
// ends, although the block may be elsewhere.
//
// Plain data. The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_TOLD_ADDRESSES_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_TOLD_ADDRESSES_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"

namespace stowage::runtime {

class ToldAddresses {
 public:
  // Notes that the address was told as the block's, and is no other's any more.
  void Add(const void* address, const Block& block);
  // Returns whether it was told as that of this block, or of another one that
  // lives.
  bool IsOf(const void* address, const Block& block) const;
  bool IsOfAnother(const void* address, const Block& block) const;
  // Forgets a block that dies, or all.
  void Forget(const Block& block);
  void Clear();

 private:
  std::unordered_map<const void*, uint64_t> owners_;  // ids, by address
  std::unordered_map<uint64_t, std::vector<const void*>> addresses_;  // by id
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_TOLD_ADDRESSES_H_
