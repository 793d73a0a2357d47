#include "server/runtime/metrics_endpoint.h"

#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"

namespace stowage {

MetricsEndpoint::MetricsEndpoint(std::unique_ptr<prometheus::Exposer> exposer,
                                 std::string address)
    : address_(std::move(address)), exposer_(std::move(exposer)) {}

absl::StatusOr<std::unique_ptr<MetricsEndpoint>> MetricsEndpoint::Start(
    const std::string& address) {
  const size_t colon = address.rfind(':');
  if (colon == address.npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--metrics-address is '", address, "'; name host:port, or nothing"));
  }
  try {
    auto exposer = std::make_unique<prometheus::Exposer>(address);
    std::string bound = absl::StrCat(address.substr(0, colon), ":",
                                     exposer->GetListeningPorts().front());
    return std::unique_ptr<MetricsEndpoint>(
        new MetricsEndpoint(std::move(exposer), std::move(bound)));
  } catch (const std::exception& error) {  // how the library reports
    return absl::UnavailableError(
        absl::StrCat("cannot serve metrics at ", address, ": ", error.what(),
                     "; free the address or name another with "
                     "--metrics-address"));
  }
}

void MetricsEndpoint::Serve(std::shared_ptr<prometheus::Collectable> metrics) {
  exposer_->RegisterCollectable(metrics);
  metrics_.push_back(std::move(metrics));
}

}  // namespace stowage
