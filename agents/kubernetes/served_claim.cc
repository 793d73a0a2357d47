#include "agents/kubernetes/served_claim.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agents/jobs/socket_access.h"
#include "agents/tiers/tier_spec.h"

namespace stowage::agent {
namespace {

// The kubelet waits for 45 s.
constexpr absl::Duration kPatience = absl::Seconds(30);
// Users of containers differ. Who sees the socket is decided by who has it
// mounted: on the host it is in a directory of the agent's.
constexpr SocketAccess kEverybody{.mode = 0666};

// Returns the tier without its size, which was that of the whole node.
std::string PlaceOf(const std::string& tier) {
  return tier.substr(0, tier.find(",size="));
}

FastClaim WholeOf(const ClaimGrant& grant) {
  return {.floor_bytes = grant.fast_bytes, .want_bytes = grant.fast_bytes};
}

JobDefaults DefaultsOf(const JobDefaults& agents_own, const std::string& slow) {
  return {.fast = "unlimited", .slow = slow, .policy = agents_own.policy};
}

}  // namespace

ServedClaim::ServedClaim(const ClaimGrant& grant,
                         std::unique_ptr<FastShare> share,
                         const std::string& slow)
    : grant_(grant),
      share_(std::move(share)),
      fast_memory_(grant.fast_bytes),
      allotment_({.owner = NameOf(grant.claim),
                  .fast_bytes = grant.fast_bytes,
                  .slow = slow,
                  .slow_bytes = grant.slow_bytes}) {}

absl::StatusOr<std::unique_ptr<ServedClaim>> ServedClaim::Start(
    const ClaimGrant& grant, const std::string& socket_path,
    const ClaimServing& serving, absl::FunctionRef<bool()> is_over) {
  auto share =
      serving.context.fast_memory->Join(WholeOf(grant), kPatience, is_over);
  if (!share.ok()) {
    return absl::Status(
        share.status().code(),
        absl::StrCat(NameOf(grant.claim), " has ", grant.fast_bytes,
                     " bytes of fast memory, and jobs on the node that have no "
                     "claim, or claims that are still being cleaned up, hold "
                     "it: ",
                     share.status().message()));
  }
  return Listen(grant, socket_path, serving, *std::move(share));
}

absl::StatusOr<std::unique_ptr<ServedClaim>> ServedClaim::Restart(
    const ClaimGrant& grant, const std::string& socket_path,
    const ClaimServing& serving) {
  return Listen(
      grant, socket_path, serving,
      serving.context.fast_memory->Rejoin(WholeOf(grant), grant.fast_bytes));
}

absl::StatusOr<std::unique_ptr<ServedClaim>> ServedClaim::Listen(
    const ClaimGrant& grant, const std::string& socket_path,
    const ClaimServing& serving, std::unique_ptr<FastShare> share) {
  const std::string slow =
      PlaceOf(serving.context.directories.slow.default_tier());
  std::unique_ptr<ServedClaim> claim(
      new ServedClaim(grant, std::move(share), slow));
  SessionContext context = serving.context;
  context.fast_memory = &claim->fast_memory_;
  context.allotment = &claim->allotment_;
  auto server =
      JobServer::Start(socket_path, kEverybody,
                       DefaultsOf(serving.defaults, slow), std::move(context));
  if (!server.ok()) return server.status();
  claim->server_ = *std::move(server);
  return claim;
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
