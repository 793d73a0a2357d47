#include "client_sdk/runtime/blocks/victims.h"

#include <algorithm>
#include <limits>

#include "client_sdk/runtime/blocks/use_distance.h"

namespace stowage::runtime {
namespace {

// A free extent (no block), or a block with what it costs to evict it.
struct Piece {
  int64_t offset_bytes;
  int64_t size_bytes;
  Block* block;
  bool stays;
  double cost;
};

double CostOf(const Block& block, int64_t now_kernel) {
  const double copies = block.kept.has_value() ? 1 : 2;  // out, and back in
  return copies * block.room_bytes() / UseDistance(block, now_kernel);
}

std::vector<Piece> PiecesOf(const Arena& arena, int64_t now_kernel,
                            const std::function<bool(const Block&)>& movable) {
  std::vector<Piece> pieces;
  pieces.reserve(arena.used().size() + arena.free().size());
  for (const auto& [offset, size] : arena.free()) {
    pieces.push_back({offset, size, nullptr, false, 0});
  }
  for (const auto& [offset, extent] : arena.used()) {
    const bool stays = extent.block == nullptr ||
                       offset + extent.size_bytes > arena.capacity_bytes() ||
                       !movable(*extent.block);
    pieces.push_back({offset, extent.size_bytes, extent.block, stays,
                      stays ? 0 : CostOf(*extent.block, now_kernel)});
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return a.offset_bytes < b.offset_bytes;
  });
  return pieces;
}

// Returns the blocks of the run [first, end).
Victims VictimsIn(const std::vector<Piece>& pieces, size_t first, size_t end) {
  Victims victims;
  victims.offset_bytes = pieces[first].offset_bytes;
  for (size_t i = first; i < end; ++i) {
    if (pieces[i].block != nullptr) victims.blocks.push_back(pieces[i].block);
  }
  return victims;
}

}  // namespace

std::optional<Victims> ChooseVictims(
    const Arena& arena, int64_t room_bytes, int64_t now_kernel,
    const std::function<bool(const Block&)>& movable) {
  const std::vector<Piece> pieces = PiecesOf(arena, now_kernel, movable);
  double best_cost = std::numeric_limits<double>::infinity();
  size_t best_first = 0, best_end = 0;

  // [first, end) is a run of neighbours without a piece that must stay.
  size_t first = 0;
  int64_t run_bytes = 0;
  double run_cost = 0;
  for (size_t end = 0; end < pieces.size(); ++end) {
    const Piece& piece = pieces[end];
    if (piece.stays) {
      first = end + 1;
      run_bytes = 0;
      run_cost = 0;
      continue;
    }
    run_bytes += piece.size_bytes;
    run_cost += piece.cost;
    while (run_bytes - pieces[first].size_bytes >= room_bytes) {
      run_bytes -= pieces[first].size_bytes;
      run_cost -= pieces[first].cost;
      ++first;
    }
    if (run_bytes >= room_bytes && run_cost < best_cost) {
      best_cost = run_cost;
      best_first = first;
      best_end = end + 1;
    }
  }
  if (best_end == 0) return std::nullopt;
  return VictimsIn(pieces, best_first, best_end);
}

std::optional<Victims> LowestVictims(
    const Arena& arena, int64_t room_bytes,
    const std::function<bool(const Block&)>& movable) {
  const std::vector<Piece> pieces = PiecesOf(arena, /*now_kernel=*/0, movable);
  size_t first = 0;
  int64_t run_bytes = 0;
  for (size_t end = 0; end < pieces.size(); ++end) {
    if (pieces[end].stays) {
      first = end + 1;
      run_bytes = 0;
      continue;
    }
    run_bytes += pieces[end].size_bytes;
    if (run_bytes >= room_bytes) return VictimsIn(pieces, first, end + 1);
  }
  return std::nullopt;
}

}  // namespace stowage::runtime
