#include "client_sdk/runtime/blocks/block_origins.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "client_sdk/session/hash.h"

namespace stowage::runtime {

void NameOrigins(const std::unordered_set<Block*>& blocks, int64_t step,
                 uint64_t signature) {
  std::vector<Block*> born;
  for (Block* block : blocks) {
    if (block->birth_step < 1 || block->birth_step >= step) continue;
    if (block->birth_step == step - 1) block->birth_kind = signature;
    born.push_back(block);
  }
  std::sort(born.begin(), born.end(),
            [](const Block* a, const Block* b) { return a->id > b->id; });
  std::unordered_map<uint64_t, uint64_t> younger;  // by birth
  for (Block* block : born) {
    const uint64_t birth =
        session::HashMix(block->birth_kind, block->birth_tag);
    block->origin = session::HashMix(birth, younger[birth]++);
  }
}

}  // namespace stowage::runtime
