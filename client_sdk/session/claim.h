// Declares the messages by which the agent is asked, at the socket where jobs
// greet it, for claims: parts of its memory with sockets of their own.
//
//   ClaimRequest request{.magic = kClaimMagic, .version = kVersion,
//                        .action = kClaimList};
//   // Sent after connecting. The agent answers with one message: a ClaimAnswer
//   // with its entries behind it.
#ifndef STOWAGE_CLIENT_SDK_SESSION_CLAIM_H_
#define STOWAGE_CLIENT_SDK_SESSION_CLAIM_H_

#include <cstdint>

namespace stowage::session {

inline constexpr uint64_t kClaimMagic = 0x6d69616c63776f74;  // "towclaim"

// The most claims that an agent has open for requests, so that a list fits in
// one message.
inline constexpr uint32_t kMostClaims = 256;

// The socket of the claim NAME is kClaimsFolder/NAME/kClaimSocket in the folder
// of the agent's own socket.
inline constexpr char kClaimsFolder[] = "local-claims";
inline constexpr char kClaimSocket[] = "agent.sock";

enum ClaimAction : int32_t {
  kClaimOpen = 1,
  kClaimClose = 2,
  kClaimList = 3,
};

// Strings end with a NUL within their array.
struct ClaimRequest {
  uint64_t magic;
  uint32_t version;  // session::kVersion
  int32_t action;    // ClaimAction; a list has no fields below
  char name[128];
  int64_t fast_bytes;  // to open
  int64_t slow_bytes;
  uint32_t uid;  // whose jobs are served
  uint32_t reserved;
};

struct ClaimEntry {
  char name[72];
  char socket[112];
  int64_t fast_bytes;
  int64_t slow_bytes;
  uint32_t uid;
  int32_t jobs;  // that run in it
};

struct ClaimAnswer {
  uint64_t magic;
  uint32_t version;
  int32_t code;    // absl::StatusCode; 0: done
  uint32_t count;  // of the entries behind it: all, or the one that was opened
  uint32_t reserved;
  char text[512];  // what is wrong, for people
};

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_CLAIM_H_
