#include "server/calls/metrics_interceptor.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "server/calls/raw_methods.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

using ::grpc::experimental::InterceptionHookPoints;
using ::grpc::experimental::Interceptor;
using ::grpc::experimental::InterceptorBatchMethods;

class MetricsInterceptor final : public Interceptor {
 public:
  explicit MetricsInterceptor(MethodMetrics* metrics)
      : metrics_(metrics), start_(SteadyNow()) {}

  void Intercept(InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(
            InterceptionHookPoints::PRE_SEND_STATUS)) {
      const auto code =
          static_cast<absl::StatusCode>(methods->GetSendStatus().error_code());
      metrics_->CountRpc(code, SteadyNow() - start_);
    }
    methods->Proceed();
  }

 private:
  MethodMetrics* const metrics_;
  const absl::Time start_;
};

}  // namespace

Interceptor* MetricsInterceptorFactory::CreateServerInterceptor(
    grpc::experimental::ServerRpcInfo* info) {
  // Such as "/stowage.v1.GraphService/GetGraph". Only methods that exist get
  // here.
  const absl::string_view method = info->method();
  if (!absl::StartsWith(method, "/stowage.v1.")) return nullptr;
  if (IsServedRaw(*info)) return nullptr;
  return new MetricsInterceptor(
      &metrics_->calls().Of(absl::StripPrefix(method, "/")));
}

}  // namespace stowage
