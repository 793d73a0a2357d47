// Serves pages of tensors in a file tier that something other than a running
// kernel touches: a system call, `tolist()`, a library's thread. A missing page
// comes in, and leaves when others are missing.
//
//   StrayPages stray(&tiers, userfault);
//   int error = stray.Open();                    // watches every file tier
//   error = stray.Fault(block, page, write);     // from the pager's thread
//   error = stray.Release(block);                // before it moves or dies
//   stray.Close(block);  stray.Open(block);      // around a kernel
//
// A kernel that streams uses the window (stream_window.h), which has more room.
// Signals serve the window, so that no other thread has to run; but there are
// no signals for the memory of a system call. So while a kernel runs on a
// block, the block's addresses are closed and the window serves them. At any
// other time they are open, and a thread that touches a missing page waits.
// Nothing of a block is in both.
//
// Four pieces of 64 KiB are in memory at a time, beside the limit. They come in
// read-only, so that only pieces that were written go back to the file. A piece
// that a device is reading or writing stays. If all pieces stay, a thread that
// needs another one gets EFAULT, as for a direct read of more than there is
// room for.
//
// Blocks on the file. The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_MOVES_STRAY_PAGES_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_MOVES_STRAY_PAGES_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/runtime/moves/userfault.h"

namespace stowage::runtime {

class StrayPages {
 public:
  static constexpr int64_t kPieceBytes = 64 << 10;
  static constexpr int kPieces = 4;

  // Both arguments must outlive it.
  StrayPages(const std::vector<MappedTier>* tiers, Userfault* userfault);
  ~StrayPages();
  StrayPages(const StrayPages&) = delete;
  StrayPages& operator=(const StrayPages&) = delete;

  // Opens the addresses of every file tier. Returns 0 or an errno; after an
  // error all are closed.
  int Open();

  // Brings the page in, or makes it writable, and lets those go on that wait
  // for it. Returns 0 or an errno. ENOENT: its addresses are closed. EBUSY: the
  // page cannot come in now.
  int Fault(const Block& block, char* page, bool write);

  // Takes everything of the block out of memory. Without `keep`, drops what was
  // written, because the block is about to be freed. Returns 0 or an errno.
  int Release(const Block& block, bool keep = true);
  // Does the same for all blocks. Call it before a fork, because pages that a
  // child shares cannot move any more. Pages that a device uses stay, and are
  // not shared.
  void ReleaseAll();

  // Close the block's addresses, after a release, and open them again. If they
  // cannot be opened they stay closed, and signals serve them.
  int Close(const Block& block);
  void Open(const Block& block);
  // Close a page, so that those who wait for it get a signal or EFAULT, and
  // open it again once they have had time to see that.
  void ClosePage(char* page);
  void OpenPage(const char* address);
  // Returns whether the page of `address` is the one that is closed now.
  bool IsClosed(const char* address) const;
  // Lets those who wait for the page try again.
  void Wake(char* page);

 private:
  struct Piece {
    char* begin = nullptr;  // null: none
    int64_t size_bytes = 0;
    int tier = 0;
    int64_t tier_offset_bytes = 0;
    uint64_t block_id = 0;
    bool dirty = false;
  };

  int Bring(const Piece& wanted);
  int MakeRoom();
  int Evict(Piece& piece, bool keep);
  int WriteBack(const Piece& piece);
  char* AddressOf(const Block& block) const {
    return (*tiers_)[block.place.tier].base + block.place.offset_bytes;
  }

  const std::vector<MappedTier>* tiers_;
  Userfault* userfault_;
  char* staging_;  // what a piece is read into
  char* leaving_;  // where one is written from; it has no pages otherwise
  int next_ = 0;   // that leaves
  const char* closed_page_ = nullptr;
  std::array<Piece, kPieces> pieces_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_MOVES_STRAY_PAGES_H_
