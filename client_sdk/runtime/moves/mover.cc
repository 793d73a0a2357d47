#include "client_sdk/runtime/moves/mover.h"

#include <errno.h>
#include <string.h>

#include <algorithm>
#include <utility>

#include "client_sdk/runtime/blocks/tier_copy.h"
#include "client_sdk/session/clock.h"

namespace stowage::runtime {

Mover::Mover(SessionClient* client, PlacedBlocks* blocks)
    : client_(client),
      blocks_(blocks),
      lanes_(client),
      window_(&client->tiers()) {}

int Mover::MoveNow(Block* block, Place to, bool keeps_source) {
  const int64_t begin_ns = session::NowNs();
  int error = Release(block);
  if (error == 0) error = Copy(*block, to);
  CountStall(to.tier, session::NowNs() - begin_ns);
  if (error != 0) {
    blocks_->GiveBack(to);
    return error;
  }
  CountMove(*block, to.tier);
  blocks_->SetPlace(block, to, keeps_source);
  return 0;
}

bool Mover::Shift(Block* block, Place to) {
  const int64_t begin_ns = session::NowNs();
  const bool shifted = blocks_->Shift(block, to);
  CountStall(to.tier, session::NowNs() - begin_ns);
  return shifted;
}

// A transfer that a disk keeps waiting says so, where a system call could not.
int Mover::Copy(const Block& block, Place to) {
  const bool out = to.tier > block.place.tier;
  const MappedTier& slow = blocks_->tier(out ? to.tier : block.place.tier);
  if (slow.addressable()) {
    return CopyBetweenTiers(client_->tiers(), block.place, to,
                            block.room_bytes());
  }
  FileRequest request;
  requests_.Begin(out ? FileRequest::kWrite : FileRequest::kRead, slow,
                  (out ? to : block.place).offset_bytes,
                  blocks_->AddressOf(out ? block.place : to),
                  block.room_bytes(), &request);
  return requests_.Finish(&request);
}

bool Mover::Begin(Block* block, Place to, bool keeps_source,
                  int64_t deadline_ns) {
  if (Release(block) != 0) {
    blocks_->GiveBack(to);
    return false;
  }
  Issue(block, {.to = to, .deadline_ns = deadline_ns, .keeps = keeps_source},
        /*own=*/false);
  return true;
}

bool Mover::BeginOwn(Block* block, Place to, bool keeps_source) {
  if (Release(block) != 0) {
    blocks_->GiveBack(to);
    return false;
  }
  Issue(block, {.to = to, .keeps = keeps_source}, /*own=*/true);
  return true;
}

// A transfer of the process's own needs a file on one side, and memory on the
// other.
void Mover::Issue(Block* block, MoveUnderWay move, bool own) {
  const Place from = block->place, to = move.to;
  const bool out = to.tier > from.tier;
  const MappedTier& slow = blocks_->tier(out ? to.tier : from.tier);
  if (blocks_->tier(from.tier).addressable()) blocks_->NoteCopied(block);
  if (own && !slow.addressable()) {
    const int64_t begin_ns = session::NowNs();
    move.request = std::make_unique<FileRequest>();
    requests_.Prepare(out ? FileRequest::kWrite : FileRequest::kRead, slow,
                      (out ? to : from).offset_bytes,
                      blocks_->AddressOf(out ? from : to), block->room_bytes(),
                      move.request.get());
    CountStall(to.tier, session::NowNs() - begin_ns);
  } else {
    move.lane = out ? session::kLaneOut : session::kLaneIn;
    move.ticket = lanes_.Issue(move.lane, from, to, block->room_bytes(),
                               move.deadline_ns);
  }
  block->move = std::move(move);
}

// Of the process's own, those are done that were when they were polled last.
bool Mover::Done(const MoveUnderWay& move) {
  return move.request != nullptr ? requests_.WasDone(*move.request)
                                 : lanes_.Done(move.lane, move.ticket);
}

int Mover::Await(MoveUnderWay* move) {
  return move->request != nullptr ? requests_.Finish(move->request.get())
                                  : lanes_.Wait(move->lane, move->ticket);
}

bool Mover::Finish(Block* block, bool adopt) {
  return End(block, adopt && (block->users == 0 || block->move->stays)) == 0;
}

int Mover::Arrive(Block* block) { return End(block, /*adopt=*/true); }

// Returns 0 if the copy is of use, else an errno.
int Mover::End(Block* block, bool adopt) {
  const int64_t begin_ns = session::NowNs();
  int error = Await(&*block->move);
  CountStall(block->move->to.tier, session::NowNs() - begin_ns);
  const MoveUnderWay move = *std::exchange(block->move, std::nullopt);
  std::erase(ahead_, block);
  if (move.stays) adopt = move.keeps;
  if (error != 0 || !adopt) {
    blocks_->GiveBack(move.to);
    return error != 0 ? error : ECANCELED;
  }
  CountMove(*block, move.to.tier);
  if (move.stays) {
    block->kept = move.to;
    return 0;
  }
  if (IsOutdated(*block, move)) {
    error = CopyAgain(block, move.to);
    if (error != 0) return error;
  }
  // Pieces of the source that raw reads have brought in meanwhile.
  Release(block, /*keep=*/false);
  blocks_->SetPlace(block, move.to, move.keeps);
  return 0;
}

bool Mover::IsOutdated(const Block& block, const MoveUnderWay& move) {
  return blocks_->tier(block.place.tier).addressable()
             ? blocks_->WasWrittenUnseen(block)
             : move.outdated;
}

int Mover::CopyAgain(Block* block, Place to) {
  int error = Release(block);
  if (error == 0) error = Copy(*block, to);
  if (error != 0) blocks_->GiveBack(to);
  return error;
}

void Mover::Submit() {
  const int64_t begin_ns = session::NowNs();
  requests_.Submit();
  CountStall(session::kFastTier, session::NowNs() - begin_ns);
}

void Mover::Abandon(Block* block) {
  Release(block, /*keep=*/false);
  if (!block->moving()) return;
  Await(&*block->move);
  blocks_->GiveBack(block->move->to);
  block->move.reset();
  std::erase(ahead_, block);
}

bool Mover::BeginAhead(Block* block, Place to) {
  const bool began =
      Begin(block, to, /*keeps_source=*/false, session::kNoDeadline);
  if (began) ahead_.push_back(block);
  return began;
}

void Mover::CopyAhead(Block* block, Place to) {
  Issue(block, {.to = to, .stays = true, .keeps = true}, /*own=*/true);
  ahead_.push_back(block);
}

bool Mover::FetchAhead(Block* block, Place to) {
  const bool began = BeginOwn(block, to, /*keeps_source=*/true);
  if (began) ahead_.push_back(block);
  return began;
}

bool Mover::any_copying() const {
  return std::any_of(ahead_.begin(), ahead_.end(),
                     [](const Block* block) { return block->move->stays; });
}

bool Mover::any_leaving() const {
  return std::any_of(ahead_.begin(), ahead_.end(), [](const Block* block) {
    return block->move->to.tier != session::kFastTier && !block->move->stays;
  });
}

void Mover::FinishAhead(bool wait) {
  if (ahead_.empty()) return;
  requests_.Poll();
  std::vector<Block*> under_way;
  for (Block* block : std::exchange(ahead_, {})) {
    if (wait || Done(*block->move)) {
      Finish(block);
    } else {
      under_way.push_back(block);
    }
  }
  ahead_ = std::move(under_way);
}

int Mover::Read(const Block& block, void* memory) {
  const MappedTier& tier = blocks_->tier(block.place.tier);
  if (int error = WriteBack(block)) return error;
  if (!tier.addressable()) {
    return ReadFileTier(tier, block.place.offset_bytes, memory,
                        block.room_bytes());
  }
  memcpy(memory, tier.base + block.place.offset_bytes, block.size_bytes);
  return 0;
}

int Mover::WriteBack(const Block& block, bool keep) {
  if (int error = window_.Release(block, keep)) return error;
  return stray_ != nullptr ? stray_->Release(block, keep) : 0;
}

int Mover::Release(Block* block, bool keep) {
  if (int error = WriteBack(*block, keep)) return error;
  if (block->streams) stray_->Open(*block);
  block->streams = false;
  block->read_first = 0;
  return 0;
}

// Where stray pages cannot be written back, they stay what serves the block.
void Mover::BeginStreaming(Block* block) {
  if (stray_ == nullptr || block->streams) return;
  if (stray_->Release(*block) != 0) return;
  block->streams = stray_->Close(*block) == 0;
}

int Mover::Fault(Block* block, const char* address, Access access, bool again) {
  if (access != Access::kRead) NoteUnseenWrite(block);
  // Addresses that are open raise no signal; so these were not, for once. A
  // system call may just have failed at a closed page, and be tried again.
  const bool was_closed = stray_ != nullptr && stray_->IsClosed(address);
  if (!was_closed) BeginStreaming(block);
  const bool stays_open = stray_ != nullptr && !block->streams;
  if (stays_open) stray_->OpenPage(address);
  return stays_open ? 0 : window_.Fault(block, address, access, again);
}

void Mover::NoteUnseenWrite(Block* block) {
  if (block->moving()) block->move->outdated = true;
}

int Mover::UseStrayPages(Userfault* userfault) {
  auto stray = std::make_unique<StrayPages>(&client_->tiers(), userfault);
  if (int error = stray->Open()) return error;
  stray_ = std::move(stray);
  return 0;
}

int Mover::BringIn(Block* block, char* page, bool write) {
  int error = EFAULT;
  if (block != nullptr) {
    block->written.MarkAll();  // what is written in this way is not seen
    if (write) NoteUnseenWrite(block);
    // A kernel that has begun meanwhile is served by signals.
    error = block->streams ? 0 : stray_->Fault(*block, page, write);
  }
  if (error == ENOENT) {
    BeginStreaming(block);
    error = 0;
  }
  if (error == EBUSY) error = EFAULT;
  if (error == EFAULT) stray_->ClosePage(page);
  stray_->Wake(page);
  return error;
}

void Mover::OpenPage(const Block* block, char* page) {
  if (block == nullptr || !block->streams) stray_->OpenPage(page);
}

void Mover::CountStreamedBytes() {
  totals_.in_bytes += window_.TakeReadBytes();
  totals_.out_bytes += window_.TakeWrittenBytes();
}

void Mover::CountStall(int to_tier, int64_t stall_ns) {
  const bool in = to_tier == session::kFastTier;
  (in ? totals_.stall_in_ns : totals_.stall_out_ns) += stall_ns;
}

void Mover::CountMove(const Block& block, int to_tier) {
  if (block.place.tier == to_tier) return;
  (to_tier == session::kFastTier ? totals_.in_bytes : totals_.out_bytes) +=
      block.size_bytes;
}

}  // namespace stowage::runtime
