#include "server/calls/malformed_request_interceptor.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "server/calls/raw_methods.h"
#include "server/calls/status.h"

namespace stowage {
namespace {

using ::grpc::experimental::InterceptionHookPoints;
using ::grpc::experimental::Interceptor;
using ::grpc::experimental::InterceptorBatchMethods;

class MalformedRequestInterceptor final : public Interceptor {
 public:
  explicit MalformedRequestInterceptor(
      const google::protobuf::MethodDescriptor* method)
      : method_(method) {}

  void Intercept(InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(
            InterceptionHookPoints::PRE_SEND_STATUS)) {
      const grpc::Status status = methods->GetSendStatus();
      // All statuses of ours have a message.
      if (status.error_code() == grpc::StatusCode::INTERNAL &&
          status.error_message().empty()) {
        methods->ModifySendStatus(
            ToGrpcStatus(MalformedRequest(method_->input_type()->full_name())));
      }
    }
    methods->Proceed();
  }

 private:
  const google::protobuf::MethodDescriptor* const method_;
};

}  // namespace

absl::Status MalformedRequest(absl::string_view type) {
  return absl::InvalidArgumentError(
      absl::StrCat("the request cannot be read as a ", type,
                   "; send a message of that type, whose text is UTF-8"));
}

Interceptor* MalformedRequestInterceptorFactory::CreateServerInterceptor(
    grpc::experimental::ServerRpcInfo* info) {
  // Such as "/stowage.v1.GraphService/GetGraph".
  const absl::string_view path = info->method();
  if (!absl::StartsWith(path, "/stowage.v1.")) return nullptr;
  if (IsServedRaw(*info)) return nullptr;
  const std::string name =
      absl::StrReplaceAll(absl::StripPrefix(path, "/"), {{"/", "."}});
  const google::protobuf::MethodDescriptor* method =
      google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(
          name);
  if (method == nullptr) return nullptr;
  return new MalformedRequestInterceptor(method);
}

}  // namespace stowage
