#include "server/calls/audit_interceptor.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "google/protobuf/message.h"
#include "server/access/audited_calls.h"
#include "server/access/call_log.h"
#include "server/access/request_id.h"
#include "server/calls/raw_methods.h"

namespace stowage {
namespace {

using ::google::protobuf::Message;
using ::grpc::experimental::InterceptionHookPoints;
using ::grpc::experimental::Interceptor;
using ::grpc::experimental::InterceptorBatchMethods;

class AuditInterceptor final : public Interceptor {
 public:
  AuditInterceptor(const Access* access,
                   grpc::experimental::ServerRpcInfo* info)
      : access_(access), info_(info), audited_(FindAudited(info->method())) {}

  void Intercept(InterceptorBatchMethods* methods) override {
    // gRPC deletes the request before it sends the response.
    if (methods->QueryInterceptionHookPoint(
            InterceptionHookPoints::POST_RECV_MESSAGE)) {
      NoteObjects(methods->GetRecvMessage());
    }
    if (methods->QueryInterceptionHookPoint(
            InterceptionHookPoints::PRE_SEND_MESSAGE)) {
      NoteObjects(methods->GetSendMessage());
    }
    if (methods->QueryInterceptionHookPoint(
            InterceptionHookPoints::PRE_SEND_STATUS)) {
      End(*methods);
    }
    methods->Proceed();
  }

 private:
  // All messages of our methods are protocol buffers, which begin with their
  // base. One that nobody could read is null.
  void NoteObjects(const void* message) {
    if (audited_ == nullptr || message == nullptr) return;
    AddObjects(*audited_, *static_cast<const Message*>(message), &objects_);
  }

  void End(InterceptorBatchMethods& methods) {
    const grpc::ServerContextBase& context = *info_->server_context();
    std::string id = RequestIdOf(context.client_metadata());
    methods.GetSendTrailingMetadata()->emplace(kRequestIdKey, id);
    const grpc::Status status = methods.GetSendStatus();
    const auto code = static_cast<absl::StatusCode>(status.error_code());
    if (audited_ == nullptr && !IsOwnFailure(code)) return;
    LogCall({.method = std::string(absl::StripPrefix(info_->method(), "/")),
             .caller = access_->CallerOf(context),
             .peer = context.peer(),
             .request_id = std::move(id),
             .status = absl::Status(code, status.error_message()),
             .objects = std::move(objects_)});
  }

  const Access* const access_;
  grpc::experimental::ServerRpcInfo* const info_;
  const AuditedCall* const audited_;
  LogFields objects_;
};

}  // namespace

Interceptor* AuditInterceptorFactory::CreateServerInterceptor(
    grpc::experimental::ServerRpcInfo* info) {
  if (!absl::StartsWith(info->method(), "/stowage.v1.")) return nullptr;
  if (IsServedRaw(*info)) return nullptr;
  return new AuditInterceptor(access_, info);
}

}  // namespace stowage
