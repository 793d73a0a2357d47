#include "client_sdk/runtime/placing/demand_placer.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "client_sdk/runtime/blocks/no_room.h"
#include "client_sdk/runtime/blocks/victims.h"

namespace stowage::runtime {
namespace {

// Share of the free arena that a kernel that streams wants as its window.
constexpr double kWindowShare = 0.9;
// What streams needs this part of the arena as its window: the window keeps the
// pieces that are used, and a tensor that has room keeps all of it.
constexpr double kLeastWindowShare = 2.0 / 3;
// What a kernel allocates streams, and its operands stay, if the window has at
// least this part of it. A matrix product adds to its result again and again:
// with less it took hundreds of times as long.
constexpr double kBirthsWindowShare = 1.0 / 2;
// A kernel that reads so many times what it allocates works on it in place.
constexpr int64_t kManyTimes = 4;
// Smaller tensors than this part of the fast arena find room anywhere.
constexpr int64_t kLargeShare = 8;

// Ends, in the end, what an error has left under way.
struct Fetches {
  ~Fetches() {
    for (Block* block : blocks) {
      if (block->moving()) mover->Finish(block);
    }
  }
  Mover* mover;
  const std::vector<Block*>& blocks;
};

int64_t LeastWindowBytes(int64_t arena_bytes) {
  return RoundUpToPage(static_cast<int64_t>(kLeastWindowShare * arena_bytes));
}

bool IsScattered(const KernelOperand& operand) {
  return (operand.flags & session::kOperandScattered) != 0;
}

int64_t RoomBytesOf(const std::vector<Block*>& blocks) {
  int64_t bytes = 0;
  for (const Block* block : blocks) bytes += block->room_bytes();
  return bytes;
}

// Returns the room of the scattered operands among the blocks.
int64_t ScatteredBytes(const std::vector<KernelOperand>& operands,
                       const std::vector<Block*>& blocks) {
  int64_t bytes = 0;
  for (const KernelOperand& operand : operands) {
    if (!IsScattered(operand)) continue;
    bytes += std::count(blocks.begin(), blocks.end(), operand.block) *
             operand.block->room_bytes();
  }
  return bytes;
}

}  // namespace

void DemandPlacer::PlaceNew(Block* block) {
  std::optional<Place> room = evictor_->TakeFastRoom(block);
  if (!room.has_value()) room = blocks_->TakeSlowRoom(block);
  if (!room.has_value() && blocks_->GiveUpAllKept()) {
    room = blocks_->TakeSlowRoom(block);
  }
  if (!room.has_value()) throw NoRoomFor(block->size_bytes);
  block->place = *room;
}

bool DemandPlacer::FetchOperands(const RunningKernel& kernel,
                                 const std::vector<KernelOperand>& operands,
                                 int64_t arena_bytes) {
  const std::vector<Block*> wanted =
      OperandsBesideBirths(kernel, operands, arena_bytes);
  EvictAllBut(wanted, operands);
  bool in_pieces = false;  // the room that is free
  {
    const Fetches fetches{mover_, wanted};
    for (Block* block : wanted) {
      const bool fast = !Absent(*block) || evictor_->BeginFetch(block);
      in_pieces = in_pieces || !fast;
    }
    for (Block* block : wanted) {
      evictor_->FinishFetch(block);
    }
  }
  const Births births = BirthsOf(kernel);
  const bool streams =
      Streams(births, operands, arena_bytes - RoomBytesOf(wanted));
  const int64_t piece_bytes = PieceFor(births, wanted, streams, arena_bytes);
  if (mover_->any_ahead() && !HasPiece(piece_bytes, /*leaving=*/{})) {
    mover_->FinishAhead(/*wait=*/true);
  }
  if (in_pieces) {
    Compact(wanted);
  } else if (!HasPiece(piece_bytes, /*leaving=*/{})) {
    const std::vector<Block*> small = SmallOf(wanted, arena_bytes);
    if (HasPiece(piece_bytes + RoomBytesOf(small), small)) {
      Compact(small);
    } else if (births.StreamBadly()) {
      Compact(wanted);
    }
  }
  // The kernel is going to write operands that were fetched just now.
  for (const KernelOperand& operand : operands) blocks_->NoteWrite(operand);
  return streams;
}

// Returns whether a kernel is going to stream operands, or some of what it
// allocates beside those that are in the arena.
bool DemandPlacer::Streams(const Births& births,
                           const std::vector<KernelOperand>& operands,
                           int64_t free_bytes) const {
  const auto in_file = [this](int tier) {
    return !blocks_->tier(tier).addressable();
  };
  return (births.all_bytes > free_bytes && in_file(1)) ||
         std::any_of(operands.begin(), operands.end(),
                     [&](const KernelOperand& operand) {
                       return in_file(operand.block->place.tier);
                     });
}

// Returns the operands that can move, those first that are in the fast tier, and
// of these the small ones.
std::vector<KernelOperand> DemandPlacer::Movable(
    std::vector<KernelOperand> operands) const {
  std::erase_if(operands, [this](const KernelOperand& operand) {
    return !CanMove(*operand.block);
  });
  std::sort(
      operands.begin(), operands.end(),
      [&](const KernelOperand& a, const KernelOperand& b) {
        return std::tuple(Absent(*a.block), a.block->size_bytes, a.block->id) <
               std::tuple(Absent(*b.block), b.block->size_bytes, b.block->id);
      });
  return operands;
}

// Returns the operands that can move and fit the fast arena together. Prefers
// scattered ones, then small ones. Returns the largest first, while there is the
// most room.
std::vector<Block*> DemandPlacer::OperandsThatFit(
    const std::vector<KernelOperand>& operands, int64_t arena_bytes) const {
  int64_t free_bytes = arena_bytes;
  for (const KernelOperand& operand : operands) {
    const Block& block = *operand.block;
    if (!CanMove(block) && !Absent(block)) free_bytes -= block.room_bytes();
  }
  const std::vector<KernelOperand> movable = Movable(operands);
  std::vector<Block*> fitting;
  const auto add = [&](const KernelOperand& operand) {
    if (operand.block->room_bytes() > free_bytes) return false;
    free_bytes -= operand.block->room_bytes();
    fitting.push_back(operand.block);
    return true;
  };
  for (const KernelOperand& operand : movable) {
    if (IsScattered(operand)) add(operand);
  }
  for (const KernelOperand& operand : movable) {
    if (!IsScattered(operand) && !add(operand)) break;
  }
  std::reverse(fitting.begin(), fitting.end());
  return fitting;
}

// Returns the operands that fit the arena together and, in a file tier, leave
// room for what the kernel allocates or for a window: else the largest leave,
// unless the kernel jumps about in them, or they are larger than what would
// stream instead, through a window that is large enough.
std::vector<Block*> DemandPlacer::OperandsBesideBirths(
    const RunningKernel& kernel, const std::vector<KernelOperand>& operands,
    int64_t arena_bytes) {
  std::vector<Block*> all = OperandsThatFit(operands, arena_bytes);
  if (blocks_->tier(1).addressable()) return all;
  const Births births = BirthsOf(kernel);
  const int64_t births_bytes = births.all_bytes;
  const int64_t least_bytes =
      std::min(births_bytes, LeastWindowBytes(arena_bytes));
  const int64_t free_bytes = arena_bytes - RoomBytesOf(all);
  if (free_bytes >= least_bytes) return all;
  std::vector<Block*> fewer = OperandsThatFit(
      operands,
      std::max(arena_bytes - least_bytes, ScatteredBytes(operands, all)));
  const int64_t left_bytes = RoomBytesOf(all) - RoomBytesOf(fewer);
  if (!births.StreamBadly() && births_bytes - free_bytes < left_bytes &&
      free_bytes >= kBirthsWindowShare * births_bytes) {
    return all;
  }
  return fewer;
}

// Lets operands leave that could stay, but for others that are to come.
void DemandPlacer::EvictAllBut(const std::vector<Block*>& wanted,
                               const std::vector<KernelOperand>& operands) {
  for (const KernelOperand& operand : Movable(operands)) {
    const bool stays =
        std::find(wanted.begin(), wanted.end(), operand.block) != wanted.end();
    if (!stays && !Absent(*operand.block)) evictor_->Evict(operand.block);
  }
}

// Returns how much room in one piece the kernel will need beside its operands:
// for the largest tensor that it will allocate, or for all if these stream badly,
// or for a window to stream through. Returns 0 where it needs little, or the
// largest finds no room at all.
int64_t DemandPlacer::PieceFor(const Births& births,
                               const std::vector<Block*>& operands,
                               bool streams, int64_t arena_bytes) {
  const int64_t other_bytes = arena_bytes - RoomBytesOf(operands);
  if (births.StreamBadly() && births.all_bytes <= other_bytes) {
    return births.all_bytes;
  }
  const bool fits = births.largest_bytes <= other_bytes;
  int64_t piece_bytes = fits ? births.largest_bytes : 0;
  if (streams) {
    piece_bytes = std::max<int64_t>(piece_bytes, kWindowShare * other_bytes);
  }
  return piece_bytes < arena_bytes / kLargeShare ? 0 : piece_bytes;
}

// Returns whether so much is free in one piece, or would be if what no kernel
// uses left, and the operands `leaving` too.
bool DemandPlacer::HasPiece(int64_t bytes,
                            const std::vector<Block*>& leaving) const {
  const auto leaves = [&](const Block& victim) {
    return blocks_->Movable(victim) ||
           std::find(leaving.begin(), leaving.end(), &victim) != leaving.end();
  };
  return bytes == 0 ||
         LowestVictims(blocks_->fast(), bytes, leaves).has_value();
}

// Returns the smallest operands, which may move for the others' sake: to move
// large ones would not pay. They are sorted, the largest first.
std::vector<Block*> DemandPlacer::SmallOf(const std::vector<Block*>& operands,
                                          int64_t arena_bytes) {
  int64_t most_bytes = arena_bytes / kLargeShare;
  auto first = operands.end();
  while (first != operands.begin() &&
         (*(first - 1))->room_bytes() <= most_bytes) {
    most_bytes -= (*--first)->room_bytes();
  }
  return {first, operands.end()};
}

// Lays operands out side by side, so that the rest of the fast arena is in one
// piece, or in few.
void DemandPlacer::Compact(const std::vector<Block*>& operands) {
  for (Block* block : operands) {
    if (!Absent(*block)) evictor_->Evict(block);
  }
  for (Block* block : operands) {
    const auto room = evictor_->ClearRoom(evictor_->LowestRoom(*block), block);
    if (room.has_value()) evictor_->FetchTo(*room, block);
  }
}

void DemandPlacer::NoteBirth(const RunningKernel& kernel, const Block& block) {
  const int64_t capacity_bytes = blocks_->fast().capacity_bytes();
  if (kernel.born_bytes < capacity_bytes / kLargeShare) return;
  Births& births =
      births_.try_emplace(kernel.shape, BirthsOf(kernel)).first->second;
  births.largest_bytes = std::max(births.largest_bytes, block.room_bytes());
  births.all_bytes = std::max(births.all_bytes, kernel.born_bytes);
}

bool DemandPlacer::Births::StreamBadly() const {
  return births_read_bytes.value_or(0) > kManyTimes * all_bytes &&
         operands_read_bytes.value_or(0) < *births_read_bytes;
}

void DemandPlacer::NoteStreaming(const RunningKernel& kernel,
                                 int64_t read_bytes) {
  const auto births = births_.find(kernel.shape);
  if (kernel.streamed_bytes == 0 || births == births_.end()) return;
  (kernel.births_stream ? births->second.births_read_bytes
                        : births->second.operands_read_bytes) = read_bytes;
}

DemandPlacer::Births DemandPlacer::BirthsOf(const RunningKernel& kernel) const {
  const auto births = births_.find(kernel.shape);
  if (births != births_.end()) return births->second;
  Births told{.largest_bytes = kernel.result_bytes,
              .all_bytes = kernel.result_bytes};
  if (kernel.reworks_result) {
    told.births_read_bytes = 2 * kManyTimes * kernel.result_bytes;
  }
  return told;
}

int64_t DemandPlacer::RoomForBirths(const RunningKernel& kernel,
                                    int64_t arena_bytes) const {
  int64_t free_bytes = arena_bytes;
  for (const Block* block : kernel.in_use) {
    if (!Absent(*block)) free_bytes -= block->room_bytes();
  }
  const Births births = BirthsOf(kernel);
  if (births.all_bytes <= free_bytes) return births.all_bytes;
  const int64_t beside_bytes =
      std::max<int64_t>(free_bytes - LeastWindowBytes(arena_bytes), 0);
  return births.largest_bytes <= beside_bytes
             ? beside_bytes
             : std::min(births.all_bytes - births.largest_bytes, beside_bytes);
}

}  // namespace stowage::runtime
