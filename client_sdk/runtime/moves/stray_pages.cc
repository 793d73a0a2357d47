#include "client_sdk/runtime/moves/stray_pages.h"

#include <errno.h>
#include <sys/mman.h>

#include <algorithm>

#include "client_sdk/runtime/blocks/tier_copy.h"
#include "client_sdk/runtime/process/mapping_time.h"

namespace stowage::runtime {

namespace {

char* MapPiece() {
  void* memory = mmap(nullptr, StrayPages::kPieceBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED ? static_cast<char*>(memory) : nullptr;
}

char* PageOf(const char* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  return reinterpret_cast<char*>(at / session::kPageBytes *
                                 session::kPageBytes);
}

void UnmapPiece(char* piece) {
  if (piece != nullptr) munmap(piece, StrayPages::kPieceBytes);
}

}  // namespace

StrayPages::StrayPages(const std::vector<MappedTier>* tiers,
                       Userfault* userfault)
    : tiers_(tiers),
      userfault_(userfault),
      staging_(MapPiece()),
      leaving_(MapPiece()) {}

StrayPages::~StrayPages() {
  UnmapPiece(staging_);
  UnmapPiece(leaving_);
}

int StrayPages::Open() {
  if (staging_ == nullptr || leaving_ == nullptr) return ENOMEM;
  int error = userfault_->Watch(leaving_, kPieceBytes);
  for (const MappedTier& tier : *tiers_) {
    if (tier.addressable() || error != 0) continue;
    error = userfault_->Watch(tier.base, tier.info.capacity_bytes);
  }
  for (const MappedTier& tier : *tiers_) {
    if (tier.addressable() || error == 0) continue;
    mprotect(tier.base, tier.info.capacity_bytes, PROT_NONE);
  }
  return error;
}

int StrayPages::Fault(const Block& block, char* page, bool write) {
  const int64_t at = (page - AddressOf(block)) / kPieceBytes * kPieceBytes;
  const Piece wanted{
      .begin = AddressOf(block) + at,
      .size_bytes = std::min(kPieceBytes, block.room_bytes() - at),
      .tier = block.place.tier,
      .tier_offset_bytes = block.place.offset_bytes + at,
      .block_id = block.id,
      .dirty = write};
  int error = 0;
  auto piece =
      std::find_if(pieces_.begin(), pieces_.end(),
                   [&](const Piece& p) { return p.begin == wanted.begin; });
  if (piece == pieces_.end()) {
    error = Bring(wanted);
  } else if (write && !piece->dirty) {
    piece->dirty = true;
    error = userfault_->Protect(piece->begin, piece->size_bytes,
                                /*read_only=*/false);
  }
  if (error == 0) userfault_->Wake(wanted.begin, wanted.size_bytes);
  return error;
}

int StrayPages::Bring(const Piece& wanted) {
  if (int error = MakeRoom()) return error;
  if (int error = ReadFileTier((*tiers_)[wanted.tier], wanted.tier_offset_bytes,
                               staging_, wanted.size_bytes)) {
    return error;
  }
  const int error = userfault_->Fill(wanted.begin, wanted.size_bytes, staging_,
                                     /*read_only=*/!wanted.dirty);
  if (error == 0) {
    pieces_[next_] = wanted;
    next_ = (next_ + 1) % kPieces;
  } else {
    userfault_->Drop(wanted.begin, wanted.size_bytes);
  }
  return error;
}

// Evicts the oldest piece that can leave. Returns 0 or an errno.
int StrayPages::MakeRoom() {
  int error = 0;
  for (int i = 0; i < kPieces; ++i) {
    error = Evict(pieces_[next_], /*keep=*/true);
    if (error != EBUSY) break;
    next_ = (next_ + 1) % kPieces;
  }
  return error;
}

int StrayPages::Release(const Block& block, bool keep) {
  for (Piece& piece : pieces_) {
    if (piece.begin == nullptr || piece.block_id != block.id) continue;
    if (int error = Evict(piece, keep)) return error;
  }
  return 0;
}

void StrayPages::ReleaseAll() {
  for (Piece& piece : pieces_) Evict(piece, /*keep=*/true);
}

int StrayPages::Evict(Piece& piece, bool keep) {
  if (piece.begin == nullptr) return 0;
  if (int error = keep ? WriteBack(piece)
                       : userfault_->Drop(piece.begin, piece.size_bytes)) {
    return error;
  }
  piece = {};
  return 0;
}

// Its pages are gone then, or all are where they were.
int StrayPages::WriteBack(const Piece& piece) {
  // Whoever touches it waits from here on.
  if (int error =
          userfault_->MoveAway(piece.begin, piece.size_bytes, leaving_)) {
    return error;
  }
  const int error = piece.dirty ? WriteFileTier((*tiers_)[piece.tier],
                                                piece.tier_offset_bytes,
                                                leaving_, piece.size_bytes)
                                : 0;
  if (error == 0) return userfault_->Drop(leaving_, piece.size_bytes);
  userfault_->MoveAway(leaving_, piece.size_bytes, piece.begin);
  userfault_->Wake(piece.begin, piece.size_bytes);
  return error;
}

int StrayPages::Close(const Block& block) {
  const MappingTime time;
  return mprotect(AddressOf(block), block.room_bytes(), PROT_NONE) == 0 ? 0
                                                                        : errno;
}

void StrayPages::Open(const Block& block) {
  userfault_->Watch(AddressOf(block), block.room_bytes());
}

void StrayPages::ClosePage(char* page) {
  const MappingTime time;
  mprotect(page, session::kPageBytes, PROT_NONE);
  closed_page_ = page;
}

void StrayPages::OpenPage(const char* address) {
  if (IsClosed(address)) closed_page_ = nullptr;
  userfault_->Watch(PageOf(address), session::kPageBytes);
}

bool StrayPages::IsClosed(const char* address) const {
  return PageOf(address) == closed_page_;
}

void StrayPages::Wake(char* page) {
  userfault_->Wake(page, session::kPageBytes);
}

}  // namespace stowage::runtime
