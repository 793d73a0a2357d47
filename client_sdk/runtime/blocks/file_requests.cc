#include "client_sdk/runtime/blocks/file_requests.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "client_sdk/runtime/blocks/tier_copy.h"
#include "client_sdk/runtime/process/long_wait.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/futex.h"
#include "client_sdk/session/page_sums.h"

namespace stowage::runtime {
namespace {

// Where more are begun, their transfers are made at once.
constexpr unsigned kMostUnderWay = 256;
// Of one call.
constexpr int kMostReaped = 32;
// Somebody who waits looks again after it, whatever happens.
constexpr int64_t kPatienceNs = 1'000'000'000;

}  // namespace

FileRequests::FileRequests() {
  if (syscall(SYS_io_setup, kMostUnderWay, &context_) != 0) context_ = 0;
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

// The kernel takes the first ones, as many as it can. Another thread may learn
// of their end before this one knows that they were taken.
void FileRequests::Submit() {
  if (prepared_count_ == 0) return;
  const int count = std::exchange(prepared_count_, 0);
  const auto request_of = [this](int64_t i) {
    return reinterpret_cast<FileRequest*>(prepared_[i]->aio_data);
  };
  for (int i = 0; i < count; ++i) request_of(i)->UnderWay().store(true);
  const int64_t taken =
      context_ == 0 ? 0 : syscall(SYS_io_submit, context_, count, prepared_);
  for (int64_t i = std::max<int64_t>(0, taken); i < count; ++i) {
    request_of(i)->UnderWay().store(false);
  }
}

int FileRequests::Finish(FileRequest* request) {
  Submit();
  while (request->UnderWay().load()) {
    const uint32_t seen = ended();
    if (!request->UnderWay().load() || !Await(seen)) break;
  }
  request->begun = request->under_way = false;
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

bool FileRequests::Done(FileRequest& request) {
  Submit();
  if (request.UnderWay().load()) Poll();
  return !request.UnderWay().load();
}

void FileRequests::Poll() {
  Submit();
  if (reaping_.exchange(true)) return;  // that thread takes what is over
  while (Reap(/*wait=*/false)) {
  }
  LetGo();
}

bool FileRequests::Await(uint32_t seen) {
  LongWait wait("the disk to read or write a tensor in slow memory");
  bool may_end = true;
  while (may_end && ended() == seen) {
    ++waiting_;
    if (reaping_.exchange(true)) {
      session::FutexWait(ended_, seen, kPatienceNs);
      --waiting_;
    } else {
      --waiting_;
      if (ended() == seen) may_end = Reap(/*wait=*/true);
      LetGo();
    }
    wait.Look(session::NowNs());
  }
  return may_end;
}

void FileRequests::Hold() {
  ++waiting_;
  for (uint32_t seen = ended(); reaping_.exchange(true); seen = ended()) {
    session::FutexWait(ended_, seen, kPatienceNs);
  }
  --waiting_;
}

// Whoever waits counted itself before it saw that this thread was reaping.
void FileRequests::LetGo() {
  reaping_.store(false);
  if (waiting_.load() > 0) session::FutexRing(ended_);
}

// Takes note of requests that are over; may wait for one. Returns whether
// another call may find more. A forked child has no part in the requests of its
// parent and finds none. The caller has set `reaping_`.
bool FileRequests::Reap(bool wait) {
  io_event events[kMostReaped];
  timespec patience{.tv_sec = wait ? 1 : 0};
  const int64_t got = syscall(SYS_io_getevents, context_, wait ? 1 : 0,
                              kMostReaped, events, &patience);
  for (int64_t i = 0; i < got; ++i) {
    auto* request = reinterpret_cast<FileRequest*>(events[i].data);
    request->result = events[i].res;
    request->UnderWay().store(false);  // then it is its owner's
  }
  if (got > 0) ++ended_;
  if (wait) return got >= 0 || errno == EINTR;
  return got == kMostReaped || (got < 0 && errno == EINTR);
}

}  // namespace stowage::runtime
