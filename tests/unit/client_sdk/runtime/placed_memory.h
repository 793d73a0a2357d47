// Places blocks in the tiers of a real session, for tests of the Job's parts.
// It has what moves them, and storages whose bytes can be checked.
//
//   PlacedMemory memory({.fast_bytes = 16 * kPage});
//   Block* block = memory.Make(&storage, 2 * kPage, /*value=*/'a');
//   memory.evictor.Evict(block);
//   EXPECT_TRUE(memory.Holds(*block, 'a'));
#ifndef STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_PLACED_MEMORY_H_
#define STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_PLACED_MEMORY_H_

#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/runtime/moves/mover.h"
#include "client_sdk/runtime/space/evictor.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_agent.h"
#include "tests/unit/client_sdk/runtime/fake_storage.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {

// Has the members that the Job has, without a window in the fast arena.
class PlacedMemory {
 public:
  explicit PlacedMemory(const FakeAgentOptions& options)
      : agent(options),
        blocks(&Connect()->tiers(), FakeStorageAccess()),
        mover(&client, &blocks),
        evictor(&blocks, &mover, &client.segment()->report) {
    agent.UseMappingsOf(client);
  }

  // Returns a new block in the fast tier, or in another, filled with `value`.
  Block* Make(FakeStorage* storage, int64_t size_bytes, char value,
              int tier = session::kFastTier) {
    std::unique_ptr<Block> born = blocks.New(size_bytes);
    born->place = blocks.TakeRoom(session::kFastTier, born.get()).value();
    Block* block = blocks.Add(std::move(born));
    storage->address = blocks.AddressOf(block->place);
    memset(storage->address, value, block->room_bytes());
    EXPECT_EQ(blocks.Adopt(storage), block);
    if (tier != session::kFastTier) MoveTo(tier, block);
    return block;
  }
  void MoveTo(int tier, Block* block) {
    EXPECT_EQ(mover.MoveNow(block, Room(tier, block)), 0);
  }
  Place Room(int tier, Block* block) {
    return blocks.TakeRoom(tier, block).value();
  }
  // Returns whether each byte of the block, wherever it is, is `value`.
  bool Holds(const Block& block, char value) {
    const int64_t bytes = block.room_bytes();
    char* memory = static_cast<char*>(aligned_alloc(kPage, bytes));
    EXPECT_EQ(mover.Read(block, memory), 0);
    const bool holds = std::count(memory, memory + bytes, value) == bytes;
    free(memory);
    return holds;
  }
  int64_t UsedBytes(int tier) const { return blocks.arena(tier).used_bytes(); }

  FakeAgent agent;
  SessionClient client;
  PlacedBlocks blocks;
  Mover mover;
  Evictor evictor;

 private:
  SessionClient* Connect() {
    const std::string error =
        client.Connect(agent.socket_path(), FakeAgent::Hello());
    EXPECT_EQ(error, "");
    return &client;
  }
};

}  // namespace stowage::runtime

#endif  // STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_PLACED_MEMORY_H_
