// Knows who calls, behind TLS or without, and refuses calls that a role may not
// make, before they reach a service.
//
//   Access access(*Roles::Make("stowage", {}));
//   credentials->SetAuthMetadataProcessor(access.Processor(on_refused));
//   absl::Status own = access.CheckOwn(*context, request.node());
#ifndef STOWAGE_SERVER_ACCESS_ACCESS_H_
#define STOWAGE_SERVER_ACCESS_ACCESS_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/security/auth_context.h"
#include "grpcpp/security/auth_metadata_processor.h"
#include "grpcpp/server_context.h"
#include "server/access/quotas.h"
#include "server/access/roles.h"
#include "server/access/stream_shares.h"

namespace stowage {

// What an identity may take; 0: no bound. Operators have none.
struct AccessLimits {
  double calls_per_second = 2000;
  int streams = 1024;  // open at a time
  double stored_mib_per_minute = 1024;
  double graph_mib = 256;  // of one graph
};

// Thread-safe.
class Access {
 public:
  explicit Access(Roles roles, const AccessLimits& limits = {});

  // Takes other limits, for calls that begin from now on.
  void SetLimits(const AccessLimits& limits);

  // Takes other roles, for calls that begin from now on.
  void SetRoles(Roles roles);

  // Returns the peer of a connection with TLS; nullopt: it has no role.
  std::optional<Caller> Find(const grpc::AuthContext& peer) const;

  // Returns the peer of a connection. Without TLS that is an operator, since
  // plain text goes where everybody is trusted. A peer without a role may call
  // nothing, and never gets as far as to be asked for.
  Caller CallerOf(const grpc::ServerContextBase& call) const;

  // Returns PERMISSION_DENIED if an agent calls for a node that is not its own.
  absl::Status CheckOwn(const grpc::ServerContextBase& call,
                        absl::string_view node) const;

  // Returns whom to share with others: the identity of the peer, or where it
  // calls from if it has none.
  std::string NameOf(const grpc::ServerContextBase& call) const;

  // Returns OK, PERMISSION_DENIED if the peer's role may not call `path`,
  // UNAUTHENTICATED if it has none, or RESOURCE_EXHAUSTED if it calls too often.
  absl::Status Check(const grpc::AuthContext& peer, absl::string_view path);

  // Counts a stream that the peer opens, until what this returns is deleted.
  // RESOURCE_EXHAUSTED: it has too many open.
  absl::StatusOr<StreamShares::Share> TakeStream(
      const grpc::ServerContextBase& call);

  // Counts what the peer stores. RESOURCE_EXHAUSTED: that is too much, at once
  // or in the last minute; the message says when to try again.
  absl::Status TakeStored(const grpc::ServerContextBase& call,
                          size_t size_bytes);

  // Returns what gRPC asks before each call of a connection with TLS. Tells
  // `on_refused` of each call that is refused, and the log of those that would
  // change something. This must outlive the server.
  std::shared_ptr<grpc::AuthMetadataProcessor> Processor(
      std::function<void(const absl::Status&)> on_refused);

 private:
  mutable absl::Mutex mutex_;
  Roles roles_ ABSL_GUARDED_BY(mutex_);
  std::atomic<double> graph_mib_;
  Quotas calls_;
  StreamShares streams_;
  Quotas stored_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_ACCESS_ACCESS_H_
