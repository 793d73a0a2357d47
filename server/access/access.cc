#include "server/access/access.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "grpc/grpc_security_constants.h"
#include "server/access/allowed_calls.h"
#include "server/access/audited_calls.h"
#include "server/access/call_log.h"
#include "server/access/request_id.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

PeerNames NamesOf(const grpc::AuthContext& peer) {
  PeerNames names;
  for (const grpc::string_ref& id :
       peer.FindPropertyValues(GRPC_PEER_SPIFFE_ID_PROPERTY_NAME)) {
    names.spiffe_id.assign(id.data(), id.size());
  }
  for (const grpc::string_ref& name :
       peer.FindPropertyValues(GRPC_PEER_DNS_PROPERTY_NAME)) {
    names.dns.emplace_back(name.data(), name.size());
  }
  return names;
}

absl::Status NoRole(const PeerNames& names) {
  std::vector<std::string> all = names.dns;
  if (!names.spiffe_id.empty()) all.push_back(names.spiffe_id);
  return absl::UnauthenticatedError(absl::StrCat(
      "the certificate has the names '", absl::StrJoin(all, "', '"),
      "', of which none has a role; it needs a URI "
      "spiffe://TRUST-DOMAIN/ROLE/NAME, or the service a rule --roles"));
}

class AccessProcessor final : public grpc::AuthMetadataProcessor {
 public:
  AccessProcessor(Access* access,
                  std::function<void(const absl::Status&)> on_refused)
      : access_(access), on_refused_(std::move(on_refused)) {}

  bool IsBlocking() const override { return false; }

  grpc::Status Process(const InputMetadata& metadata, grpc::AuthContext* peer,
                       OutputMetadata* /*consumed*/,
                       OutputMetadata* /*response*/) override {
    const auto found = metadata.find(":path");
    const absl::string_view path =
        found == metadata.end()
            ? absl::string_view()
            : absl::string_view(found->second.data(), found->second.size());
    const absl::Status allowed = access_->Check(*peer, path);
    if (allowed.ok()) return grpc::Status::OK;
    if (on_refused_) on_refused_(allowed);
    const std::string id = RequestIdOf(metadata);
    LogRefused(path, id, *peer, allowed);
    // gRPC sends no metadata with this status.
    return grpc::Status(
        static_cast<grpc::StatusCode>(allowed.code()),
        absl::StrCat(allowed.message(), " (", kRequestIdKey, " ", id, ")"));
  }

 private:
  // The call never gets to an interceptor.
  void LogRefused(absl::string_view path, const std::string& request_id,
                  const grpc::AuthContext& peer, const absl::Status& refused) {
    if (FindAudited(path) == nullptr) return;
    LogCall({.method = std::string(absl::StripPrefix(path, "/")),
             .caller = access_->Find(peer),
             .request_id = request_id,
             .status = refused});
  }

  Access* const access_;
  const std::function<void(const absl::Status&)> on_refused_;
};

QuotaLimits CallLimits(const AccessLimits& limits) {
  return {.unit = "calls",
          .per_second = limits.calls_per_second,
          .burst = 2 * limits.calls_per_second};
}

QuotaLimits StoredLimits(const AccessLimits& limits) {
  return {.unit = "MiB of graphs",
          .per_second = limits.stored_mib_per_minute / 60,
          .burst = limits.stored_mib_per_minute};
}

}  // namespace

Access::Access(Roles roles, const AccessLimits& limits)
    : roles_(std::move(roles)),
      graph_mib_(limits.graph_mib),
      calls_(CallLimits(limits)),
      streams_(limits.streams),
      stored_(StoredLimits(limits)) {}

void Access::SetLimits(const AccessLimits& limits) {
  graph_mib_ = limits.graph_mib;
  calls_.SetLimits(CallLimits(limits));
  streams_.SetLimit(limits.streams);
  stored_.SetLimits(StoredLimits(limits));
}

void Access::SetRoles(Roles roles) {
  absl::MutexLock lock(&mutex_);
  roles_ = std::move(roles);
}

std::optional<Caller> Access::Find(const grpc::AuthContext& peer) const {
  const PeerNames names = NamesOf(peer);
  absl::ReaderMutexLock lock(&mutex_);
  return roles_.CallerOf(names);
}

Caller Access::CallerOf(const grpc::ServerContextBase& call) const {
  const std::shared_ptr<const grpc::AuthContext> peer = call.auth_context();
  if (!peer->IsPeerAuthenticated()) return {.role = Role::kOperator};
  return Find(*peer).value_or(Caller());
}

absl::Status Access::CheckOwn(const grpc::ServerContextBase& call,
                              absl::string_view node) const {
  return CheckNode(CallerOf(call), node);
}

std::string Access::NameOf(const grpc::ServerContextBase& call) const {
  const std::string identity = CallerOf(call).identity;
  return identity.empty() ? call.peer() : identity;
}

absl::Status Access::Check(const grpc::AuthContext& peer,
                           absl::string_view path) {
  const std::optional<Caller> caller = Find(peer);
  if (!caller) return NoRole(NamesOf(peer));
  absl::Status allowed = CheckAllowed(*caller, path);
  if (!allowed.ok() || caller->role == Role::kOperator) return allowed;
  return calls_.Take(caller->identity, 1, SteadyNow());
}

absl::StatusOr<StreamShares::Share> Access::TakeStream(
    const grpc::ServerContextBase& call) {
  const Caller caller = CallerOf(call);
  if (caller.role == Role::kOperator) return StreamShares::Share();
  return streams_.Take(caller.identity);
}

absl::Status Access::TakeStored(const grpc::ServerContextBase& call,
                                size_t size_bytes) {
  const Caller caller = CallerOf(call);
  if (caller.role == Role::kOperator) return absl::OkStatus();
  constexpr double kMib = 1 << 20;
  const double mib = static_cast<double>(size_bytes) / kMib;
  const double most = graph_mib_;
  if (most > 0 && mib > most) {
    return absl::ResourceExhaustedError(absl::StrFormat(
        "a graph of %.1f MiB is larger than the %g MiB that '%s' may register; "
        "leave out what the plan does not need, or ask the operator for more "
        "(--graph-mib)",
        mib, most, caller.identity));
  }
  return stored_.Take(caller.identity, mib, SteadyNow());
}

std::shared_ptr<grpc::AuthMetadataProcessor> Access::Processor(
    std::function<void(const absl::Status&)> on_refused) {
  return std::make_shared<AccessProcessor>(this, std::move(on_refused));
}

}  // namespace stowage
