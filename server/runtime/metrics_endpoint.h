// Prometheus metrics over HTTP.
//
//   absl::StatusOr<std::unique_ptr<MetricsEndpoint>> endpoint =
//       MetricsEndpoint::Start("127.0.0.1:0");
//   (*endpoint)->Serve(metrics.registry());
//   std::cerr << (*endpoint)->address();      // "127.0.0.1:40123"
#ifndef STOWAGE_SERVER_RUNTIME_METRICS_ENDPOINT_H_
#define STOWAGE_SERVER_RUNTIME_METRICS_ENDPOINT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "prometheus/collectable.h"
#include "prometheus/exposer.h"

namespace stowage {

// Owns the HTTP server and what it serves. Serve is not thread-safe.
class MetricsEndpoint {
 public:
  // Binds "host:port"; port 0 means any free one. UNAVAILABLE when it cannot.
  static absl::StatusOr<std::unique_ptr<MetricsEndpoint>> Start(
      const std::string& address);

  void Serve(std::shared_ptr<prometheus::Collectable> metrics);

  // With the port that was bound.
  const std::string& address() const { return address_; }

 private:
  MetricsEndpoint(std::unique_ptr<prometheus::Exposer> exposer,
                  std::string address);

  std::string address_;
  // The exposer keeps weak references.
  std::vector<std::shared_ptr<prometheus::Collectable>> metrics_;
  std::unique_ptr<prometheus::Exposer> exposer_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RUNTIME_METRICS_ENDPOINT_H_
