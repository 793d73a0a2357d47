#include "network/metrics_page.h"

#include <utility>

#include "prometheus/metric_family.h"
#include "prometheus/text_serializer.h"

namespace stowage {

HttpPage MetricsPage(
    const std::vector<std::shared_ptr<prometheus::Collectable>>& metrics) {
  std::vector<prometheus::MetricFamily> families;
  for (const auto& collectable : metrics) {
    for (prometheus::MetricFamily& family : collectable->Collect()) {
      families.push_back(std::move(family));
    }
  }
  return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
          .body = prometheus::TextSerializer().Serialize(families)};
}

}  // namespace stowage
