// Writes metrics in the format that Prometheus reads.
//
//   HttpPage page = MetricsPage({registry, gauges});
#ifndef STOWAGE_NETWORK_METRICS_PAGE_H_
#define STOWAGE_NETWORK_METRICS_PAGE_H_

#include <memory>
#include <vector>

#include "network/http_server.h"
#include "prometheus/collectable.h"

namespace stowage {

// Returns the current values of the collectables in the text format 0.0.4.
// Blocks as long as they do.
HttpPage MetricsPage(
    const std::vector<std::shared_ptr<prometheus::Collectable>>& metrics);

}  // namespace stowage

#endif  // STOWAGE_NETWORK_METRICS_PAGE_H_
