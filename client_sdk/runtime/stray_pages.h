// Pages of tensors in a file tier that something other than a running kernel
// touches: a system call, `tolist()`, a library's thread. They are brought in
// when they are missing, and leave when others are.
//
//   StrayPages stray(&tiers, userfault);
//   int error = stray.Open();                    // watches every file tier
//   error = stray.Fault(block, page, write);     // from the pager's thread
//   error = stray.Release(block);                // before it moves or dies
//   stray.Close(block);  stray.Open(block);      // around a kernel
//
// A kernel that streams has the window (stream_window.h), which has more room
// and is served by signals: no other thread has to run, but there are none for
// the memory of a system call. So while a kernel runs on a block its addresses
// are closed, and the window serves them; at any other time they are open, and
// whoever touches a missing page waits. Nothing of a block is in both.
//
// Four pieces of 64 KiB are in memory at a time, beside the limit. They come in
// read-only, so that only those that were written go back to the file. A piece
// that a device is reading or writing stays; where all do, who wants another one
// gets EFAULT, as for a direct read of more than there is room for.
//
// Blocks on the file. The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_STRAY_PAGES_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_STRAY_PAGES_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "client_sdk/runtime/block.h"
#include "client_sdk/runtime/session_client.h"
#include "client_sdk/runtime/userfault.h"

namespace stowage::runtime {

class StrayPages {
 public:
  static constexpr int64_t kPieceBytes = 64 << 10;
  static constexpr int kPieces = 4;

  // Both outlive it.
  StrayPages(const std::vector<MappedTier>* tiers, Userfault* userfault);
  ~StrayPages();
  StrayPages(const StrayPages&) = delete;
  StrayPages& operator=(const StrayPages&) = delete;

  // Opens the addresses of every file tier. Returns 0 or an errno; then all are
  // closed.
  int Open();

  // Brings the page in, or makes it writable, and lets those go on that wait
  // for it. Returns 0 or an errno; ENOENT: its addresses are closed; EBUSY: the
  // page cannot come in now.
  int Fault(const Block& block, char* page, bool write);

  // Nothing of the block is in memory from here on. Without `keep`, what was
  // written is dropped (the block is about to be freed).
  int Release(const Block& block, bool keep = true);
  // The same for all blocks, before a fork: pages that a child shares could not
  // be moved any more. Those that a device uses stay, and are not shared.
  void ReleaseAll();

  // Closes the block's addresses, after a release, and opens them again. Where
  // opening fails they stay closed, and signals serve them.
  int Close(const Block& block);
  void Open(const Block& block);
  // Closes a page: whoever waits for it gets a signal, or EFAULT. It is opened
  // again when they have had the time to.
  void ClosePage(char* page);
  void OpenPage(const char* address);
  // Lets whoever waits for the page try again.
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
  std::array<Piece, kPieces> pieces_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_STRAY_PAGES_H_
