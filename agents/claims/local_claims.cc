#include "agents/claims/local_claims.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "agents/jobs/records/fixed_text.h"
#include "daemon/log.h"

namespace stowage::agent {
namespace {

// Users enter, and see no names of claims that are not theirs.
constexpr mode_t kEnter = 0711;

bool HasTheSame(const MemoryClaim& a, const MemoryClaim& b) {
  return a.fast_bytes == b.fast_bytes && a.slow_bytes == b.slow_bytes &&
         a.user == b.user;
}

std::string Describe(const MemoryClaim& claim) {
  return absl::StrCat(claim.fast_bytes, " bytes of fast and ", claim.slow_bytes,
                      " of slow memory for user ", claim.user.value_or(0));
}

}  // namespace

LocalClaims::LocalClaims(std::string directory, NodeAmounts node,
                         ClaimServing serving)
    : node_(node),
      claims_({.path = std::move(directory), .mode = kEnter},
              std::move(serving)) {}

void LocalClaims::Begin() {
  claims_.Restore();
  absl::MutexLock lock(&mutex_);
  has_begun_ = true;
}

std::string LocalClaims::Answer(absl::string_view request, const Peer& peer,
                                absl::FunctionRef<bool()> is_over) {
  const absl::StatusOr<Entries> entries = Do(request, peer, is_over);
  return ClaimAnswerOf(entries.status(), entries.ok() ? *entries : Entries{});
}

absl::StatusOr<LocalClaims::Entries> LocalClaims::Do(
    absl::string_view request, const Peer& peer,
    absl::FunctionRef<bool()> is_over) {
  if (absl::Status s = CheckMayAsk(peer); !s.ok()) return s;
  const absl::StatusOr<ClaimWish> wish = ParseClaimRequest(request);
  if (!wish.ok()) return wish.status();
  switch (wish->action) {
    case session::kClaimOpen:
      return Open(wish->claim, is_over);
    case session::kClaimClose:
      if (absl::Status s = claims_.Close(wish->claim.id); !s.ok()) return s;
      return Entries{};
    case session::kClaimList:
      break;
  }
  return List();
}

absl::Status LocalClaims::CheckMayAsk(const Peer& peer) const {
  if (peer.uid != 0 && peer.uid != geteuid()) {
    return absl::PermissionDeniedError(
        absl::StrCat("user ", peer.uid,
                     " may not open, close or list claims; root and user ",
                     geteuid(), " may, whose agent this is"));
  }
  absl::MutexLock lock(&mutex_);
  if (has_begun_) return absl::OkStatus();
  return absl::UnavailableError("the agent is just starting; try again");
}

absl::StatusOr<LocalClaims::Entries> LocalClaims::Open(
    const MemoryClaim& wanted, absl::FunctionRef<bool()> is_over) {
  const absl::StatusOr<MemoryClaim> open = claims_.Open(
      wanted.id,
      [&]() -> absl::StatusOr<MemoryClaim> {
        if (absl::Status s = CheckFits(wanted); !s.ok()) return s;
        return wanted;
      },
      is_over);
  if (!open.ok()) {
    Log(LogLevel::kWarning, "a claim cannot be opened",
        {{"claim", wanted.owner}, {"error", open.status().message()}});
    return open.status();
  }
  if (HasTheSame(*open, wanted)) return Entries{EntryOf({.claim = *open})};
  return absl::AlreadyExistsError(absl::StrCat(
      open->owner, " is open with ", Describe(*open), ", not with ",
      Describe(wanted), "; close it first, or use another name"));
}

absl::Status LocalClaims::CheckFits(const MemoryClaim& wanted) const {
  if (node_.fast_bytes == 0) {
    return absl::FailedPreconditionError(
        "the agent does not know how much fast memory claims may have; start "
        "it with --fast-total");
  }
  if (claims_.count() >= static_cast<int>(session::kMostClaims)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        session::kMostClaims, " claims are open; close one first"));
  }
  if (wanted.fast_bytes > node_.fast_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        wanted.owner, " is for ", wanted.fast_bytes,
        " bytes of fast memory, and --fast-total is ", node_.fast_bytes));
  }
  if (node_.slow_bytes > 0 && wanted.slow_bytes > node_.slow_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        wanted.owner, " is for ", wanted.slow_bytes,
        " bytes of slow memory, and --slow has ", node_.slow_bytes));
  }
  return absl::OkStatus();
}

LocalClaims::Entries LocalClaims::List() const {
  Entries entries;
  for (const OpenClaim& open : claims_.List()) entries.push_back(EntryOf(open));
  return entries;
}

session::ClaimEntry LocalClaims::EntryOf(const OpenClaim& open) const {
  session::ClaimEntry entry{};
  SetText(entry.name, open.claim.id);
  SetText(entry.socket, claims_.SocketOf(open.claim.id));
  entry.fast_bytes = open.claim.fast_bytes;
  entry.slow_bytes = open.claim.slow_bytes;
  entry.uid = open.claim.user.value_or(0);
  entry.jobs = open.jobs;
  return entry;
}

}  // namespace stowage::agent
