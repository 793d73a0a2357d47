// Declares the messages by which the agent is asked, at the socket where jobs
// greet it, to change the limit of a running job.
//
//   ResizeRequest request{.magic = kResizeMagic, .version = kVersion};
//   // Sent after connecting. The agent orders the limit (limit_order.h), and
//   // answers with a ResizeAnswer when the job has.
#ifndef STOWAGE_CLIENT_SDK_SESSION_RESIZE_H_
#define STOWAGE_CLIENT_SDK_SESSION_RESIZE_H_

#include <cstdint>

namespace stowage::session {

inline constexpr uint64_t kResizeMagic = 0x657a697365776f74;  // "towesize"

// How long the agent waits for the job to end its step before it answers that
// the order stands.
inline constexpr int64_t kResizePatienceNs = 60'000'000'000;

// Strings end with a NUL within their array.
struct ResizeRequest {
  uint64_t magic;
  uint32_t version;  // session::kVersion
  uint32_t reserved;
  char job[128];   // its id, process id or run id
  char limit[64];  // "900MiB", "40%", "unlimited"
};

enum ResizeResult : int32_t {
  kResizeRefused = 0,
  kResizeObeyed = 1,
  kResizeAwaited = 2,  // the job has not ended its step; the order stands
};

struct ResizeAnswer {
  uint64_t magic;
  uint32_t version;
  int32_t result;    // ResizeResult
  char job_id[128];  // of the job that was found; else empty
  char text[512];    // what happened, for people
};

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_RESIZE_H_
