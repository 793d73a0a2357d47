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
// Only system calls: safe in a handler of a synchronous fault. Not thread-safe.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_FILE_REQUESTS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_FILE_REQUESTS_H_

#include <linux/aio_abi.h>

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
  bool Done(const FileRequest& request);
  // Waits until a transfer that was begun is over. Returns 0 or an errno.
  int Finish(FileRequest* request);

 private:
  static constexpr int kMostPrepared = 64;

  bool Reap(bool wait);

  aio_context_t context_ = 0;  // 0: the host refuses it
  iocb* prepared_[kMostPrepared];
  int prepared_count_ = 0;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_FILE_REQUESTS_H_
