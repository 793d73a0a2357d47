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
// A thread may wait without the owner's mutex until some transfer is over:
//
//   uint32_t seen = requests.ended();        // with the mutex
//   if (!requests.Done(request)) { mutex.Unlock(); requests.Await(seen); ... }
//
// Only system calls: safe in a handler of a synchronous fault. Thread-safe are
// Await(), Hold() and LetGo(); the owner's mutex guards all others.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_FILE_REQUESTS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_FILE_REQUESTS_H_

#include <linux/aio_abi.h>

#include <atomic>
#include <cstdint>

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
  bool begun = false;      // and not finished
  bool under_way = false;  // the kernel has it, as far as is known
  int64_t result = 0;      // of what the kernel had: bytes, or -errno
  iocb control{};

  // A thread without the owner's mutex may learn that it is over.
  std::atomic_ref<bool> UnderWay() { return std::atomic_ref(under_way); }
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
  // Returns whether a transfer that was begun is over. Does not block.
  bool Done(FileRequest& request);
  // Waits until a transfer that was begun is over. Returns 0 or an errno.
  int Finish(FileRequest* request);

  // Changes whenever transfers end.
  uint32_t ended() const { return ended_.load(); }
  // Waits until ended() is not `seen`. Returns false if that cannot be: the
  // process is a forked child, which has no part in its parent's transfers.
  bool Await(uint32_t seen);
  // Keep other threads from waiting for the device, around fork(): a child has
  // none that would go on. Hold() waits for the one that does.
  void Hold();
  void LetGo();

 private:
  static constexpr int kMostPrepared = 64;

  bool Reap(bool wait);

  aio_context_t context_ = 0;  // 0: the host refuses it
  // One thread at a time, which has set `reaping_`, takes what is over, waits
  // for it, and wakes the others, who wait for `ended_` to change.
  std::atomic<bool> reaping_ = false;
  std::atomic<uint32_t> ended_ = 0;
  std::atomic<int> waiting_ = 0;
  iocb* prepared_[kMostPrepared];
  int prepared_count_ = 0;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_FILE_REQUESTS_H_
