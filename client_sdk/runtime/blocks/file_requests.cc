#include "client_sdk/runtime/blocks/file_requests.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "client_sdk/runtime/blocks/tier_copy.h"
#include "client_sdk/session/page_sums.h"

namespace stowage::runtime {
namespace {

// Of one call.
constexpr int kMostReaped = 32;

}  // namespace

FileRequests::FileRequests() {
  if (syscall(SYS_io_setup, TransferSlots::kSlots, &context_) != 0) {
    context_ = 0;
  }
}

FileRequests::~FileRequests() {
  if (context_ != 0) syscall(SYS_io_destroy, context_);
}

void FileRequests::Begin(FileRequest::Direction direction,
                         const MappedTier& tier, int64_t offset_bytes,
                         char* memory, int64_t bytes, FileRequest* request) {
  Prepare(direction, tier, offset_bytes, memory, bytes, request);
  Submit();
}

void FileRequests::Prepare(FileRequest::Direction direction,
                           const MappedTier& tier, int64_t offset_bytes,
                           char* memory, int64_t bytes, FileRequest* request) {
  if (prepared_count_ == kMostPrepared) Submit();
  *request = {.direction = direction,
              .tier = &tier,
              .offset_bytes = offset_bytes,
              .memory = memory,
              .bytes = bytes,
              .begun = true};
  iocb& control = request->control;
  control.aio_data = reinterpret_cast<uint64_t>(request);
  control.aio_lio_opcode =
      direction == FileRequest::kRead ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE;
  control.aio_fildes = tier.fd;
  control.aio_buf = reinterpret_cast<uint64_t>(memory);
  control.aio_nbytes = bytes;
  control.aio_offset = offset_bytes;
  if (direction == FileRequest::kWrite) {
    session::PageSums(tier.sums).Note(offset_bytes, memory, bytes);
  }
  prepared_[prepared_count_++] = &control;
}

// The kernel takes the first ones, as many as it can; the others are made when
// they are finished. Another thread may learn of the end of a transfer before
// this one knows that it was taken.
void FileRequests::Submit() {
  if (prepared_count_ == 0) return;
  const int count = std::exchange(prepared_count_, 0);
  if (context_ == 0) return;
  const auto ticket_of = [this](int64_t i) -> TransferTicket& {
    return reinterpret_cast<FileRequest*>(prepared_[i]->aio_data)->ticket;
  };
  int with_slot = 0;
  while (with_slot < count) {
    ticket_of(with_slot) = slots_.Begin();
    if (ticket_of(with_slot).slot < 0) break;
    ++with_slot;
  }
  ++submissions_;
  const int64_t taken = syscall(SYS_io_submit, context_, with_slot, prepared_);
  for (int64_t i = std::max<int64_t>(0, taken); i < with_slot; ++i) {
    slots_.End(ticket_of(i).slot);
  }
}

int FileRequests::Finish(FileRequest* request) {
  Submit();
  Await(request->ticket);
  request->begun = false;
  request->ticket = {};
  const bool reads = request->direction == FileRequest::kRead;
  if (request->result == request->bytes) {
    return reads ? CheckRead(*request->tier, request->offset_bytes,
                             request->memory, request->bytes)
                 : 0;
  }
  // What the kernel did not do, or not all of, is done here, and shows its
  // error again.
  const int64_t done = std::max<int64_t>(0, request->result) /
                       session::kPageBytes * session::kPageBytes;
  const int64_t offset_bytes = request->offset_bytes + done;
  char* memory = request->memory + done;
  const int64_t bytes = request->bytes - done;
  if (!reads) return WriteFileTier(*request->tier, offset_bytes, memory, bytes);
  const int error = ReadFileTier(*request->tier, offset_bytes, memory, bytes);
  return error != 0 ? error
                    : CheckRead(*request->tier, request->offset_bytes,
                                request->memory, done);
}

bool FileRequests::Done(const FileRequest& request) {
  Submit();
  if (!WasDone(request)) Poll();
  return WasDone(request);
}

void FileRequests::Poll() {
  Submit();
  if (!slots_.TryLead()) return;  // the thread that leads finds out
  while (Reap(/*wait=*/false)) {
  }
  slots_.LetGo();
}

void FileRequests::Await(TransferTicket ticket) {
  slots_.Await(ticket, [this] { return Reap(/*wait=*/true); });
}

// Takes note of requests that are over; may wait for one. Returns whether
// another call may find more. A forked child has no part in the requests of its
// parent and finds none. For who leads.
bool FileRequests::Reap(bool wait) {
  io_event events[kMostReaped];
  timespec patience{.tv_sec = wait ? 1 : 0};
  const int64_t got = syscall(SYS_io_getevents, context_, wait ? 1 : 0,
                              kMostReaped, events, &patience);
  submissions_.load();
  uint32_t slot_bits = 0;
  for (int64_t i = 0; i < got; ++i) {
    auto* request = reinterpret_cast<FileRequest*>(events[i].data);
    const int slot = request->ticket.slot;
    request->result = events[i].res;
    slots_.End(slot);  // from here on the request is its owner's
    slot_bits |= TransferSlots::BitOf(slot);
  }
  if (slot_bits != 0) slots_.Wake(slot_bits);
  if (wait) return got >= 0 || errno == EINTR;
  return got == kMostReaped || (got < 0 && errno == EINTR);
}

}  // namespace stowage::runtime
