// How the bytes of blocks get from tier to tier.
//
//   Mover mover(&client, &blocks);
//   if (mover.Begin(block, room)) {         // the agent copies meanwhile
//     bool moved = mover.Finish(block);     // waits, then publishes
//   }
//   int error = mover.MoveNow(block, room); // the process copies, in between
//
// A move has three moments. It begins when room has been taken at its
// destination: Block::move is set, and the agent may copy from then on. It is
// awaited by whoever needs its result, at any later kernel boundary. It is
// published then, by PlacedBlocks::SetPlace(), unless the copy failed, a kernel
// uses the source, or nobody wants it any more. In each of these cases the room
// is given back, and the block is where it was: the source is the tensor until
// the last moment, so nothing has to be undone.
//
// From its beginning to its end a move holds both places, the block is not
// movable, and nobody writes the source: a kernel that is about to write it
// ends the move first.
//
// A copy ahead (CopyAhead) is such a move whose block stays: kernels may read it
// meanwhile, and a write gives the copy up.
//
// Moves that nothing waits for (BeginAhead) are remembered here: any of them
// may be ended early, when its room or its block is needed.
//
// A block in a file tier may have pieces in memory, which may have been
// written: in the stream window while a kernel uses it there, and as stray
// pages at other times, if there is a pager. They go back to the file before
// the block moves or is read. Code that nobody sees may write the source of a
// move, wherever it is (byte_sample.h): then the bytes are copied once more.
//
// All that depends on how copies are made is here, in MoveLanes and in
// tier_copy.h: memory whose copies a device orders in streams would have its
// own way to begin and to await a move, behind the same calls.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_MOVES_MOVER_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_MOVES_MOVER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/file_requests.h"
#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/runtime/moves/move_lanes.h"
#include "client_sdk/runtime/moves/stray_pages.h"
#include "client_sdk/runtime/moves/stream_window.h"
#include "client_sdk/runtime/moves/userfault.h"

namespace stowage::runtime {

class Mover {
 public:
  // What moving cost since the step began.
  struct Totals {
    // While a move to the fast tier, or another one, was awaited or made.
    int64_t stall_in_ns = 0;
    int64_t stall_out_ns = 0;
    int64_t in_bytes = 0;  // to the fast tier, from others
    int64_t out_bytes = 0;

    int64_t stall_ns() const { return stall_in_ns + stall_out_ns; }
  };

  // Both arguments must outlive it.
  Mover(SessionClient* client, PlacedBlocks* blocks);
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;

  // ---- Whole blocks. The room at `to` has been taken for the block, but for
  // Shift(). ----

  // Copies on this thread and publishes. Returns 0 or an errno.
  int MoveNow(Block* block, Place to, bool keeps_source = false);
  // Moves the block to other room of the fast tier, which the two may share and
  // nobody else has. Returns false if the block is where it was.
  bool Shift(Block* block, Place to);
  // Lets the agent copy, by `deadline_ns` as session::MoveRequest has it.
  // Returns false if pieces in the window could not be written back: then the
  // room is given back, too.
  bool Begin(Block* block, Place to, bool keeps_source = false,
             int64_t deadline_ns = 0);
  // Waits until the bytes have arrived and publishes the move, unless `adopt`
  // is false. Returns false if the block is where it was.
  bool Finish(Block* block, bool adopt = true);
  // Does what Begin() does with a transfer of this process's own, where one of
  // the tiers is a file. It begins when a move is awaited, or with Submit().
  bool BeginOwn(Block* block, Place to, bool keeps_source);
  // Waits until the bytes have arrived, and publishes a move that the kernel
  // wants which is among the block's users, and has not begun. Returns 0 or an
  // errno.
  int Arrive(Block* block);
  // Waits for the move of a block that is about to die, and drops its pieces in
  // the window.
  void Abandon(Block* block);

  // Does what Begin() does, for a move that nothing waits for.
  bool BeginAhead(Block* block, Place to);
  // Begins to copy a block of the fast tier to slow room, which becomes its kept
  // copy unless it is written meanwhile. Kernels may read it all the while.
  void CopyAhead(Block* block, Place to);
  // Begins to bring a block back whose place is to become its kept copy. Returns
  // false as Begin() does.
  bool FetchAhead(Block* block, Place to);
  // Begins the process's own transfers that wait for others to begin with.
  void Submit();
  // Publishes such moves that have arrived or, with `wait`, all of them.
  void FinishAhead(bool wait);
  bool any_ahead() const { return !ahead_.empty(); }
  // Returns whether one of them is going to free fast room.
  bool any_leaving() const;
  // Returns whether one of them only makes a copy.
  bool any_copying() const;

  // ---- Bytes where they are ----

  // Copies the block's bytes to `memory`, which is aligned to a page and has
  // its whole room. Returns 0 or an errno.
  int Read(const Block& block, void* memory);
  // Notes that a kernel is going to use the block in a file tier.
  void BeginStreaming(Block* block);
  // Drops all pieces of the block from memory, once kernels are done with it.
  // With `keep`, those that were written go to the file first. Returns 0 or an
  // errno.
  int Release(Block* block, bool keep = true);
  // Makes an address of a block in a file tier usable, after a signal. Returns
  // 0 or an errno. EINPROGRESS: call it `again`, as StreamWindow::Fault() says.
  int Fault(Block* block, const char* address, Access access, bool again);

  // Lets stray pages serve, from here on, what is no kernel's. Call it while
  // nothing is in a file tier. Returns 0 or an errno; then signals serve all.
  int UseStrayPages(Userfault* userfault);
  // Completes what the agent, which is gone, has left in the lanes.
  void SettleLanes() { lanes_.Settle(); }

  // Brings in, for the pager, a page that somebody waits for, of a block in a
  // file tier or of none (null). Returns 0, when it can be tried again, or an
  // errno. EFAULT means that the page has been closed, and is to be opened
  // soon.
  int BringIn(Block* block, char* page, bool write);
  void OpenPage(const Block* block, char* page);
  // Lets go of all stray pages before a fork.
  void ReleaseStrayPages() {
    if (stray_ != nullptr) stray_->ReleaseAll();
  }

  StreamWindow* window() { return &window_; }

  // ---- What it cost ----

  // Counts what went through the window since the last call.
  void CountStreamedBytes();
  void BeginStep() { totals_ = {}; }
  const Totals& totals() const { return totals_; }
  // Returns for how long the agent has copied until `now_ns`.
  session::LaneTimes CopiedNs(int64_t now_ns) const {
    return lanes_.CopiedNs(now_ns);
  }

 private:
  int Copy(const Block& block, Place to);
  int CopyAgain(Block* block, Place to);
  bool IsOutdated(const Block& block, const MoveUnderWay& move);
  static void NoteUnseenWrite(Block* block);
  void Issue(Block* block, MoveUnderWay move, bool own);
  bool Done(const MoveUnderWay& move);
  int Await(MoveUnderWay* move);
  int End(Block* block, bool adopt);
  void CountMove(const Block& block, int to_tier);
  void CountStall(int to_tier, int64_t stall_ns);
  int WriteBack(const Block& block, bool keep = true);

  SessionClient* client_;
  PlacedBlocks* blocks_;
  MoveLanes lanes_;
  FileRequests requests_;
  StreamWindow window_;
  std::unique_ptr<StrayPages> stray_;  // null: there is no pager
  std::vector<Block*> ahead_;
  Totals totals_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_MOVES_MOVER_H_
