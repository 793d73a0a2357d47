// Registers families of metrics.
//
//   prometheus::Registry registry;
//   prometheus::Counter& made =
//       CounterFamily(registry, "things_made_total", "Things made.").Add({});
#ifndef STOWAGE_SERVER_METRICS_FAMILIES_H_
#define STOWAGE_SERVER_METRICS_FAMILIES_H_

#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"

namespace stowage {

// All three return a family that the registry owns.
inline prometheus::Family<prometheus::Counter>& CounterFamily(
    prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

inline prometheus::Family<prometheus::Gauge>& GaugeFamily(
    prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

inline prometheus::Family<prometheus::Histogram>& HistogramFamily(
    prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

}  // namespace stowage

#endif  // STOWAGE_SERVER_METRICS_FAMILIES_H_
