// Reads and writes file tiers while the caller does something else: a shell
// over Linux AIO, io_submit(2).
//
//   FileRequests requests;
//   FileRequest request;
//   requests.Begin(FileRequest::kRead, tiers[1], offset_bytes, to, bytes,
//                  &request);
//   int error = requests.Finish(&request);   // waits; 0: all bytes are there
//
// AIO rather than io_uring: containers allow it by default, and a program that
// closes all its descriptors takes none of it away. Where the host refuses it,
// Begin() makes the transfer itself.
//
// A thread may wait for a transfer without the owner's mutex:
//
//   if (!requests.Done(request)) requests.Await(request.ticket);
//
// Only system calls: safe in a handler of a synchronous fault. Await(), Hold()
// and LetGo() are thread-safe; the owner's mutex guards all others.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_FILE_REQUESTS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_FILE_REQUESTS_H_

#include <linux/aio_abi.h>

#include <atomic>
#include <cstdint>

#include "client_sdk/runtime/blocks/transfer_slots.h"
#include "client_sdk/runtime/connection/session_client.h"

namespace stowage::runtime {

// A transfer. Stays where it is from Begin() to Finish().
struct FileRequest {
  enum Direction { kRead, kWrite };

  Direction direction = kRead;
  const MappedTier* tier = nullptr;
  int64_t offset_bytes = 0;
  char* memory = nullptr;
  int64_t bytes = 0;
  bool begun = false;       // and not finished
  TransferTicket ticket{};  // until the kernel is known to be done with it
  int64_t result = 0;       // of what the kernel had: bytes, or -errno
  iocb control{};
};

class FileRequests {
 public:
  FileRequests();
  // No request is begun any more.
  ~FileRequests();
  FileRequests(const FileRequests&) = delete;
  FileRequests& operator=(const FileRequests&) = delete;

  // Begins to transfer `bytes`, a multiple of the page size, between the file
  // and page-aligned memory, which is the transfer's until Finish().
  void Begin(FileRequest::Direction direction, const MappedTier& tier,
             int64_t offset_bytes, char* memory, int64_t bytes,
             FileRequest* request);

  // Prepares to do what Begin() does. The transfer begins with the next call to
  // any of the others, with all that are prepared: requests that the kernel gets
  // together cost it far less.
  void Prepare(FileRequest::Direction direction, const MappedTier& tier,
               int64_t offset_bytes, char* memory, int64_t bytes,
               FileRequest* request);
  void Submit();

  // Finds out which transfers are over. Does not block.
  void Poll();
  // Returns whether a transfer that was begun was over when they were polled
  // last.
  bool WasDone(const FileRequest& request) const {
    return slots_.IsOver(request.ticket);
  }
  // Returns whether it is over. Does not block.
  bool Done(const FileRequest& request);
  // Waits until a transfer that was begun is over. Returns 0 or an errno.
  int Finish(FileRequest* request);

  // Waits until a transfer is over that Done() said is not.
  void Await(TransferTicket ticket);
  // Keep other threads from waiting for the device, around fork(): a child has
  // none that would go on. Hold() waits for the one that does.
  void Hold() { slots_.Lead(); }
  void LetGo() { slots_.LetGo(); }

 private:
  static constexpr int kMostPrepared = 64;

  bool Reap(bool wait);

  aio_context_t context_ = 0;  // 0: the host refuses it
  TransferSlots slots_;
  // Orders what the owner wrote into requests before what another thread reads
  // that reaps them. The kernel does, too, but sanitizers do not see that.
  std::atomic<uint64_t> submissions_ = 0;
  iocb* prepared_[kMostPrepared];
  int prepared_count_ = 0;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_FILE_REQUESTS_H_
