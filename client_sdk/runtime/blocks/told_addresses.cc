#include "client_sdk/runtime/blocks/told_addresses.h"

namespace stowage::runtime {

void ToldAddresses::Add(const void* address, const Block& block) {
  if (IsOf(address, block)) return;
  owners_[address] = block.id;
  addresses_[block.id].push_back(address);
}

bool ToldAddresses::IsOf(const void* address, const Block& block) const {
  const auto owner = owners_.find(address);
  return owner != owners_.end() && owner->second == block.id;
}

bool ToldAddresses::IsOfAnother(const void* address, const Block& block) const {
  return owners_.contains(address) && !IsOf(address, block);
}

void ToldAddresses::Forget(const Block& block) {
  const auto told = addresses_.find(block.id);
  if (told == addresses_.end()) return;
  for (const void* address : told->second) {
    if (IsOf(address, block)) owners_.erase(address);
  }
  addresses_.erase(told);
}

void ToldAddresses::Clear() {
  owners_.clear();
  addresses_.clear();
}

}  // namespace stowage::runtime
