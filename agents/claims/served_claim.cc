#include "agents/claims/served_claim.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agents/tiers/tier_spec.h"

namespace stowage::agent {
namespace {

// The kubelet and `stowage claim` wait for 45 s.
constexpr absl::Duration kPatience = absl::Seconds(30);
// The users of a container are not known. Who sees its socket is decided by who
// has it mounted: on the host it is in a directory of the agent's. Where a claim
// is one user's, the server asks who connects.
constexpr mode_t kEverybody = 0666;

// Returns the tier without its size, which was that of the whole node.
std::string PlaceOf(const std::string& tier) {
  return tier.substr(0, tier.find(",size="));
}

FastClaim WholeOf(const MemoryClaim& claim) {
  return {.floor_bytes = claim.fast_bytes, .want_bytes = claim.fast_bytes};
}

JobDefaults DefaultsOf(const JobDefaults& agents_own, const std::string& slow) {
  return {.fast = "unlimited", .slow = slow, .policy = agents_own.policy};
}

}  // namespace

ServedClaim::ServedClaim(const MemoryClaim& claim,
                         std::unique_ptr<FastShare> share,
                         const std::string& slow)
    : claim_(claim),
      share_(std::move(share)),
      fast_memory_(claim.fast_bytes),
      allotment_({.owner = claim.owner,
                  .fast_bytes = claim.fast_bytes,
                  .slow = slow,
                  .slow_bytes = claim.slow_bytes}) {}

absl::StatusOr<std::unique_ptr<ServedClaim>> ServedClaim::Start(
    const MemoryClaim& claim, const std::string& socket_path,
    const ClaimServing& serving, absl::FunctionRef<bool()> is_over) {
  auto share =
      serving.context.fast_memory->Join(WholeOf(claim), kPatience, is_over);
  if (!share.ok()) {
    return absl::Status(
        share.status().code(),
        absl::StrCat(claim.owner, " has ", claim.fast_bytes,
                     " bytes of fast memory, and jobs on the node that have no "
                     "claim, or claims that are still being cleaned up, hold "
                     "it: ",
                     share.status().message()));
  }
  return Listen(claim, socket_path, serving, *std::move(share));
}

absl::StatusOr<std::unique_ptr<ServedClaim>> ServedClaim::Restart(
    const MemoryClaim& claim, const std::string& socket_path,
    const ClaimServing& serving) {
  return Listen(
      claim, socket_path, serving,
      serving.context.fast_memory->Rejoin(WholeOf(claim), claim.fast_bytes));
}

absl::StatusOr<std::unique_ptr<ServedClaim>> ServedClaim::Listen(
    const MemoryClaim& claim, const std::string& socket_path,
    const ClaimServing& serving, std::unique_ptr<FastShare> share) {
  const std::string slow =
      PlaceOf(serving.context.directories.slow.default_tier());
  std::unique_ptr<ServedClaim> served(
      new ServedClaim(claim, std::move(share), slow));
  SessionContext context = serving.context;
  context.fast_memory = &served->fast_memory_;
  context.allotment = &served->allotment_;
  auto server =
      JobServer::Start(socket_path, {.mode = kEverybody, .user = claim.user},
                       DefaultsOf(serving.defaults, slow), std::move(context));
  if (!server.ok()) return server.status();
  served->server_ = *std::move(server);
  return served;
}

void ServedClaim::Change(const JobDefaults& defaults,
                         const JobDirectories& directories) {
  server_->Change(
      DefaultsOf(defaults, PlaceOf(directories.slow.default_tier())),
      directories);
}

void ServedClaim::Close(JobServer::SocketFile file) {
  server_->Stop(file);
  share_.reset();
}

}  // namespace stowage::agent
