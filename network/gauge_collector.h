// Collects gauges that are read only when Prometheus asks for them.
//
//   auto gauges = std::make_shared<GaugeCollector>();
//   gauges->Add("stowaged_graphs", "Graphs stored.", [&] { return Count(); });
//   HttpPage page = MetricsPage({gauges});
#ifndef STOWAGE_NETWORK_GAUGE_COLLECTOR_H_
#define STOWAGE_NETWORK_GAUGE_COLLECTOR_H_

#include <functional>
#include <string>
#include <vector>

#include "prometheus/collectable.h"
#include "prometheus/metric_family.h"

namespace stowage {

// Add every gauge before the first Collect(). Collect() is thread-safe if the
// functions are.
class GaugeCollector final : public prometheus::Collectable {
 public:
  void Add(std::string name, std::string help, std::function<double()> read);

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  struct Gauge {
    std::string name;
    std::string help;
    std::function<double()> read;
  };

  std::vector<Gauge> gauges_;
};

}  // namespace stowage

#endif  // STOWAGE_NETWORK_GAUGE_COLLECTOR_H_
